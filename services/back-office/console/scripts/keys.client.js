// Keys that do something: <a data-key="j">, <input type="search" data-key="/">; g and then the key
// of <a data-go="o"> leads there; j and k go through the rows of tables, where a page has no other
// use for them. Not while one types.
{
  const isTyping = (target) =>
    target instanceof Element &&
    target.closest('input:not([type=checkbox]), textarea, select, [contenteditable]') !== null;

  // On a Russian keyboard the key in the same place: it writes another letter.
  const keyOf = ({ key, code, shiftKey }) => {
    if (!/^[а-яё.,]$/i.test(key)) return key;
    if (code === 'Slash') return shiftKey ? '?' : '/';
    return /^Key[A-Z]$/.test(code) ? code.at(-1).toLowerCase() : key;
  };

  /** The first link of each row: Enter follows the one that has the focus. */
  const rowLinks = () =>
    [...document.querySelectorAll('main tbody tr')].flatMap((row) => {
      const link = row.querySelector('a[href]');
      return link?.checkVisibility() ? [link] : [];
    });

  const moves = { j: 1, k: -1 };

  function moveBy(step) {
    const links = rowLinks();
    const row = document.activeElement?.closest('tbody tr');
    const here = links.findIndex((link) => row?.contains(link));
    links[Math.max(0, Math.min(here + step, links.length - 1))]?.focus({ focusVisible: true });
  }

  const goesWithinMs = 2_000;
  let goAt = Number.NEGATIVE_INFINITY;

  function targetOf(key, { timeStamp }) {
    const goes = timeStamp - goAt < goesWithinMs;
    goAt = key === 'g' && !goes ? timeStamp : Number.NEGATIVE_INFINITY;
    const name = goes ? 'go' : 'key';
    return [...document.querySelectorAll(`[data-${name}]`)].find(
      ({ dataset }) => dataset[name] === key,
    );
  }

  function press(target) {
    const dialog = document.getElementById(target.dataset.opens ?? '');
    if (dialog) dialog.showModal();
    else if (target instanceof HTMLInputElement && target.type === 'search') {
      target.focus();
      target.select();
    } else target.click();
  }

  for (const button of document.querySelectorAll('[data-opens]')) {
    button.hidden = false;
    button.addEventListener('click', () => press(button));
  }

  addEventListener('keydown', (event) => {
    if (
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      event.isComposing ||
      isTyping(event.target) ||
      document.querySelector('dialog[open]')
    )
      return;
    const key = keyOf(event);
    const target = targetOf(key, event);
    if (!target && !Object.hasOwn(moves, key)) return;
    event.preventDefault();
    if (target) press(target);
    else moveBy(moves[key]);
  });
}
