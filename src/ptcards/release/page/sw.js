// Keeps the study page for when there is no network. The network comes first, so a new release is seen at once;
// what is kept is used only if there is no answer. Progress is not here: the page stores it.

const KEPT = `ptcards ${registration.scope}`;
const FILES = ["study.html", "site.webmanifest"].map((name) => new URL(name, registration.scope).href);

const addressOf = (request) => request.url.split(/[?#]/)[0];

async function answer(request) {
  const kept = await caches.open(KEPT);
  try {
    const answered = await fetch(request);
    if (answered.ok && !answered.redirected) await kept.put(addressOf(request), answered.clone());
    return answered;
  } catch (failure) {
    const copy = await kept.match(addressOf(request));
    if (copy) return copy;
    throw failure;
  }
}

addEventListener("install", (event) => event.waitUntil(caches.open(KEPT).then((kept) => kept.addAll(FILES)).then(() => skipWaiting())));
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
addEventListener("fetch", (event) => {
  if (event.request.method === "GET" && FILES.includes(addressOf(event.request))) event.respondWith(answer(event.request));
});
