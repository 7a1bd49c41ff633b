// Keeps the study page for when there is no network. The network comes first and is asked whether the page has
// changed; what is kept is used only if there is no answer. Progress is not here: the page stores it.

const KEPT = `ptcards ${registration.scope}`;
const FILES = ["study.html", "site.webmanifest"].map((name) => new URL(name, registration.scope).href);

const EDITION = new URL("study-", registration.scope).href;
const isStudyPage = (address) => FILES.includes(address) || (address.startsWith(EDITION) && address.endsWith(".html"));
const addressOf = (request) => request.url.split(/[?#]/)[0];

// A copy that cannot be kept, because storage is full, must not leave an older one.
async function keep(address, copy) {
  const kept = await caches.open(KEPT);
  await kept.put(address, copy).catch(() => kept.delete(address));
}

async function answer(event) {
  const address = addressOf(event.request);
  try {
    const answered = await fetch(address, { cache: "no-cache" });
    if (answered.ok && !answered.redirected) event.waitUntil(keep(address, answered.clone()).catch(() => {}));
    return answered;
  } catch (failure) {
    const copy = await caches.match(address);
    if (copy) return copy;
    throw failure;
  }
}

addEventListener("install", (event) => event.waitUntil(caches.open(KEPT).then((kept) => kept.addAll(FILES)).then(() => skipWaiting())));
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
addEventListener("fetch", (event) => {
  if (event.request.method === "GET" && isStudyPage(addressOf(event.request))) event.respondWith(answer(event));
});
