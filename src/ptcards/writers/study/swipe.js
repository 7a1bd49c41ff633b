// Grading with a finger: swipe a card that shows its answer to the right if you knew it, otherwise to the left. The
// card follows the finger and names the grade; it leaves the page, or goes back if the finger has not moved far.

const FAR = 80; // pixels after which a swipe counts
const SEEN = 12; // pixels after which the card names the grade
const STEEP = 0.6;
const QUICK = 180; // milliseconds

const calm = matchMedia("(prefers-reduced-motion: reduce)");
const place = (x) => `translateX(${x}px) rotate(${x / 60}deg)`;

function listenToSwipes() {
  let start = null;
  const pushed = (event) => [event.clientX - start.x, event.clientY - start.y];
  const isSteep = (x, y) => Math.abs(y) > Math.abs(x) * STEEP;
  const end = () => {
    start = null;
    follow(0);
  };
  $("card").addEventListener("pointerdown", (event) => {
    if (event.pointerType !== "touch" || !event.isPrimary || scrollsSideways(event)) return;
    start = { x: event.clientX, y: event.clientY };
  });
  $("card").addEventListener("pointermove", (event) => {
    if (!start || !state.turned) return;
    const [x, y] = pushed(event);
    follow(isSteep(x, y) ? 0 : x);
  });
  $("card").addEventListener("pointerup", (event) => {
    if (!start) return;
    const [x, y] = pushed(event);
    const counts = Math.abs(x) >= FAR && !isSteep(x, y);
    end();
    if (counts && state.turned) sendOff(x);
    else if (state.turned) slide([{ transform: place(isSteep(x, y) ? 0 : x) }, { transform: "none" }]);
    else if (counts) turnOrType();
  });
  $("card").addEventListener("pointercancel", end);
}

function follow(x) {
  const name = Math.abs(x) < SEEN ? "" : x < 0 ? "again" : "good";
  Object.assign($("card").dataset, { swipe: name, word: name && gradeWord(name) });
  $("study").dataset.swiped = Math.abs(x) < FAR ? "" : name;
  $("card").toggleAttribute("data-moving", x !== 0);
  $("card").style.transform = x ? place(x) : "";
  $("card").style.setProperty("--strength", Math.min(1, Math.abs(x) / FAR));
}

// The grade counts when the card is out of sight, unless a key or a button has graded the card meanwhile.
async function sendOff(x) {
  const card = state.queue[0];
  await slide([{ transform: place(x) }, { transform: place(Math.sign(x) * innerWidth), opacity: 0 }]);
  if (card !== state.queue[0] || !state.turned) return;
  grade(x < 0 ? "again" : "good");
  slide([{ transform: "translateY(0.6rem)", opacity: 0 }, { transform: "none", opacity: 1 }]);
}

async function slide(frames) {
  $("card").toggleAttribute("data-moving", true);
  await $("card").animate(frames, { duration: calm.matches ? 0 : QUICK, easing: "ease-out" }).finished;
  $("card").toggleAttribute("data-moving", false);
}

// Content that is wider than the card scrolls instead.
function scrollsSideways(event) {
  return event.composedPath().some((each) => each instanceof Element && each !== $("card") && each.scrollWidth > each.clientWidth + 1 && getComputedStyle(each).overflowX === "auto");
}
