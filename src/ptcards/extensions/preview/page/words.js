// The texts of the interface, which come from one table in the page.

const WORDS = JSON.parse(document.getElementById("words").textContent);

/** Return the text with this name, with `values` filled in. */
export function say(name, values = {}) {
  return WORDS[name].replace(/\{(\w+)\}/g, (_, key) => values[key] ?? "");
}

/** Return the text for a count; the text for one has a separate name. */
export function many(name, count, values = {}) {
  return say(count === 1 ? `${name}_one` : name, { count: count.toLocaleString("en"), ...values });
}
