// The page of `ptcards diff`: each changed note as the learner sees it, as wide as the page or as a phone.

$("phone").addEventListener("click", () => {
  setPressed($("phone"), document.documentElement.toggleAttribute("data-phone"));
});
showNight();
watchVersions();
