// The documentation without its script is whole: this keeps examples in one language, and shows
// where the reader is.
const kept = 'docs-language';

function choose(language) {
  for (const input of document.querySelectorAll(
    `[data-tabs] input[value="${CSS.escape(language)}"]`,
  )) {
    input.checked = true;
  }
}

addEventListener('change', (event) => {
  const input = event.target;
  if (!(input instanceof HTMLInputElement) || !input.closest('[data-tabs]')) return;
  const before = input.getBoundingClientRect().top;
  choose(input.value);
  // Examples above may have grown or shrunk: what was chosen stays under the reader's eye.
  scrollBy(0, input.getBoundingClientRect().top - before);
  try {
    localStorage.setItem(kept, input.value);
  } catch {
    // A browser that keeps nothing: the choice holds for this page.
  }
});

try {
  const language = localStorage.getItem(kept);
  if (language !== null) choose(language);
} catch {
  // Nothing was kept.
}

// On a phone the sections are wider than it.
document
  .querySelector('.sections [aria-current]')
  ?.scrollIntoView({ block: 'nearest', inline: 'center' });

const links = new Map();
for (const link of document.querySelectorAll('.contents a')) {
  const target = document.getElementById(decodeURIComponent(link.hash.slice(1)));
  if (target) links.set(target, link);
}
const passedPx = 120;
let waits = false;

function showPlace() {
  waits = false;
  const targets = [...links.keys()];
  const passed = targets.filter((target) => target.getBoundingClientRect().top < passedPx);
  const current = links.get(passed.at(-1) ?? targets[0]);
  if (!current || current.hasAttribute('aria-current')) return;
  for (const link of links.values()) link.removeAttribute('aria-current');
  current.setAttribute('aria-current', 'true');
  // A table of contents that is longer than the window follows.
  const list = current.closest('.contents');
  const at = current.offsetTop - list.clientHeight / 2;
  if (Math.abs(list.scrollTop - at) > list.clientHeight / 3) list.scrollTop = at;
}

function look() {
  if (waits) return;
  waits = true;
  requestAnimationFrame(showPlace);
}

if (links.size > 0) {
  addEventListener('scroll', look, { passive: true });
  look();
}
