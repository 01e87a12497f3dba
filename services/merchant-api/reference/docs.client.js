// The documentation without its script is whole: this keeps examples in one language, and shows where the reader is.
const kept = 'docs-language';

function choose(language) {
  for (const input of document.querySelectorAll(`[data-tabs] input[value="${CSS.escape(language)}"]`)) {
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

const links = new Map();
for (const link of document.querySelectorAll('.contents a')) {
  const target = document.getElementById(decodeURIComponent(link.hash.slice(1)));
  if (target) links.set(target, link);
}
const seen = new IntersectionObserver(
  () => {
    const passed = [...links.keys()].filter((target) => target.getBoundingClientRect().top < 120);
    const current = links.get(passed.at(-1) ?? links.keys().next().value);
    for (const link of links.values()) {
      if (link === current) link.setAttribute('aria-current', 'true');
      else link.removeAttribute('aria-current');
    }
    const list = current?.closest('.contents');
    if (list) {
      const at = current.offsetTop - list.clientHeight / 2;
      if (Math.abs(list.scrollTop - at) > list.clientHeight / 3) list.scrollTop = at;
    }
  },
  { rootMargin: '-100px 0px -60% 0px' },
);
for (const target of links.keys()) seen.observe(target);
