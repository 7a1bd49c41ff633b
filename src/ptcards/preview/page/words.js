// The words of the interface, all from one table in the page.

const WORDS = JSON.parse(document.getElementById("words").textContent);

/** The words with this name, `values` filled in. */
export function say(name, values = {}) {
  return WORDS[name].replace(/\{(\w+)\}/g, (_, key) => values[key] ?? "");
}

/** The words for so many: those for one have a name of their own. */
export function many(name, count, values = {}) {
  return say(count === 1 ? `${name}_one` : name, { count: count.toLocaleString("en"), ...values });
}
