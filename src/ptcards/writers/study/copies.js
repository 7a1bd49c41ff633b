// Copies of the progress in IndexedDB. On a busy machine, Chromium shows some pages an empty localStorage for as long as they are open,
// and shows no other page what they store. IndexedDB works in those pages, too. A copy's name is the pair of the key in localStorage and,
// if a page like that has made the copy, a name of that page; otherwise "".

const COPIES = "progress";
const openedCopies = openCopies();

function answered(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

async function openCopies() {
  try {
    const request = indexedDB.open("ptcards", 1);
    request.onupgradeneeded = () => request.result.createObjectStore(COPIES);
    return await answered(request);
  } catch {
    return null; // forbidden: there are no copies
  }
}

// Passes the store to `use`; returns its result, or null if the browser refuses.
async function withCopies(mode, use) {
  const database = await openedCopies;
  try {
    return database && (await use(database.transaction(COPIES, mode).objectStore(COPIES)));
  } catch {
    return null;
  }
}

// Returns the copies of what is stored under a key, as pairs of name and text.
async function readCopies(key) {
  const read = (store) => {
    const range = IDBKeyRange.bound([key], [key, []]); // an array is greater than any text
    return Promise.all([answered(store.getAllKeys(range)), answered(store.getAll(range))]);
  };
  const [names, texts] = (await withCopies("readonly", read)) ?? [[], []];
  return names.map((name, n) => [name, texts[n]]);
}

// Writes a copy in place of others.
function replaceCopies(old, name, text) {
  return withCopies("readwrite", (store) => Promise.all([...old.map((each) => answered(store.delete(each))), answered(store.put(text, name))]));
}
