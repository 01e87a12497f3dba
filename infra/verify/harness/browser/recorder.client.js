// Reports what a person does on a page, and the head of the page after it (`recorder.ts`).
if (window === window.top) {
  const short = (text) => (text ?? '').replaceAll(/\s+/g, ' ').trim().slice(0, 70);
  // Of a file its name: where it lies is the test's business.
  const { protocol, pathname, hash } = location;
  const address = (protocol === 'file:' ? pathname.split('/').at(-1) : pathname) + hash;
  const tell = (kind, text) => window.tellStep(kind, text, address);
  const nameOf = (element) =>
    short(
      element.ariaLabel ||
        element.labels?.[0]?.innerText ||
        element.innerText ||
        element.title ||
        element.name,
    );
  // A key may have no element: pressed on the window.
  const isText = (element) =>
    element.matches?.(
      'textarea, input:not([type=checkbox], [type=radio], [type=submit], [type=file])',
    );
  const reach = 'a, button, summary, select, input[type=checkbox], input[type=radio]';

  const typed = new WeakMap();
  const tellTyped = (target) => {
    const { type, value } = target;
    if (value === (typed.get(target) ?? target.defaultValue)) return;
    typed.set(target, value);
    const what = type === 'password' ? 'a secret' : `“${short(value)}”`;
    tell('did', `type ${what} in “${nameOf(target)}”`);
  };

  let byEnter = false;
  const onKey = ({ key, target }) => {
    if (key === 'Enter' && target.matches?.('input')) {
      byEnter = true;
      setTimeout(() => (byEnter = false));
      // The browser reports the change only after the key.
      if (isText(target)) tellTyped(target);
      tell('did', 'press Enter');
    } else if (key.length === 1 && !isText(target)) tell('did', `press ${key}`);
  };
  const onClick = ({ target, detail }) => {
    // For a form that is sent by Enter the browser clicks its button.
    const element = target.closest?.(reach);
    if (element && !element.matches('select') && !(byEnter && detail === 0))
      tell('did', `press “${nameOf(element)}”`);
  };
  const onChange = ({ target }) => {
    const { files } = target;
    if (files) tell('did', `choose ${[...files].map(({ name }) => name).join(', ')}`);
    else if (target.matches('select'))
      tell('did', `choose “${short(target.selectedOptions[0]?.text)}” in “${nameOf(target)}”`);
    else if (isText(target)) tellTyped(target);
  };
  addEventListener('keydown', onKey, true);
  addEventListener('click', onClick, true);
  addEventListener('change', onChange, true);

  let seen;
  /** A page may hold a warning that it does not show yet. */
  const visible = (selector) =>
    [...document.querySelectorAll(selector)].find((element) => element.checkVisibility());
  const look = () => {
    const alert = short(visible('[role=alert] strong')?.textContent);
    const head = [short(visible('h1')?.textContent), alert].filter(Boolean).join(': ');
    if (head === seen) return;
    tell(seen === undefined ? 'arrived' : 'saw', head);
    seen = head;
  };
  addEventListener('DOMContentLoaded', () => {
    look();
    new MutationObserver(look).observe(document.body, {
      childList: true,
      subtree: true,
      attributeFilter: ['hidden', 'class'],
    });
  });
}
