// Shared by all pages: data, words, elements, numbers, and the reader's settings, such as night mode.

const SETTINGS_KEY = "ptcards:settings";
// `fresh`: new cards a day; `retention`: a card is due when it is remembered with this probability; `atOnce`: a choice of one option turns the card
const DEFAULTS = { keys: true, fresh: 20, retention: 0.9, atOnce: true };

const DATA = JSON.parse(document.getElementById("data").textContent);

// The words with this name, with `values` filled in.
const say = (name, values = {}) => DATA.words[name].replace(/\{(\w+)\}/g, (_, key) => values[key] ?? "");
// A number of things; the form for one thing has a separate name.
const many = (count, noun) => say(count === 1 ? `${noun}_one` : noun, { count: amount(count) });

const $ = (id) => document.getElementById(id);
const between = (low, value, high) => Math.min(Math.max(value, low), high);

function make(tag, name = "", ...content) {
  const element = document.createElement(tag);
  if (name) element.className = name;
  element.append(...content);
  return element;
}

function setPressed(button, pressed) {
  button.setAttribute("aria-pressed", `${pressed}`);
}

const settings = { ...DEFAULTS, ...kept("localStorage", SETTINGS_KEY) };

const keepSettings = () => keep("localStorage", SETTINGS_KEY, settings);

// What the browser keeps under a key in `localStorage` or, for this tab alone, in `sessionStorage`: a table, which may be empty.
function kept(storage, key) {
  try {
    return JSON.parse(window[storage].getItem(key)) ?? {};
  } catch {
    return {};
  }
}

function keep(storage, key, value) {
  try {
    if (value) window[storage].setItem(key, JSON.stringify(value));
    else window[storage].removeItem(key);
  } catch {
    // Without storage, it lasts while the page is open.
  }
}

const isNight = () => settings.night ?? matchMedia("(prefers-color-scheme: dark)").matches;
const amount = (count) => count.toLocaleString("en");
const percent = (share) => `${Math.round(100 * share)}%`;

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

// The licence's name, which is a link if an address follows it.
function licence() {
  const [, name, href] = /^(.+?),?\s+(https?:\/\/\S+)$/.exec(DATA.license) ?? [];
  return href ? Object.assign(make("a", "", name), { href, target: "_blank", rel: "noopener noreferrer" }) : DATA.license;
}
