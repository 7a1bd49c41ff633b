// The sheet to print: each note once, with question and answer together, but the answers to choices at the end.

const SHORT = 1200; // characters of text that stay together on one page; longer text may be split between paragraphs

function buildSheet(notes, heading) {
  const body = make("div", "card", make("h1", "", DATA.name), make("p", "said", heading));
  const later = [];
  let deck = "";
  notes.forEach((note, index) => {
    if (note.deck !== deck) {
      deck = note.deck;
      body.append(make("h2", "", topicOf(deck)));
    }
    const [card] = note.cards;
    const isChoice = note.kind === "choice";
    body.append(entry(index + 1, harmless(sideHtml(card, isChoice ? "front" : "back")), note));
    if (isChoice) later.push([index + 1, harmless(sideHtml(card, "back"))]);
  });
  if (later.length) body.append(make("h2", "", say("sheet_answers")));
  for (const [number, side] of later) {
    for (const part of side.querySelectorAll(".question, .chips")) part.remove();
    body.append(entry(number, side));
  }
  return make("div", "sheet mobile", body);
}

function entry(number, side, note) {
  for (const details of side.querySelectorAll("details")) details.open = true;
  for (const link of side.querySelectorAll("a[href]")) writeOut(link);
  const short = side.textContent.length <= SHORT;
  return make("div", short ? "entry short" : "entry", make("span", "number", `${number}`), dressed(side, note));
}

// A note with its own appearance keeps it on paper, and no other note gets it.
function dressed(side, note) {
  const host = make("div");
  if (!note || note.sheet === SHEET) {
    host.append(side);
    return host;
  }
  const root = shadowOf(host);
  dress(root, note);
  root.append(make("div", "card", side));
  return host;
}

// Nobody can click on paper.
function writeOut(link) {
  const address = link.getAttribute("href").replace(/^mailto:/i, "");
  if (!address.startsWith("#") && link.textContent.trim() !== address) link.after(make("span", "address", ` (${address})`));
}

const tagName = (tag) => tag.split("::").join(" › ");

function topicOf(deck) {
  return deck.split("::").slice(1).join(" › ") || deck;
}
