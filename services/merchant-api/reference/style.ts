/** The reference's style: readable in light and in dark, on a phone and on paper. */
export const style = `
:root {
  color-scheme: light dark;
  --text: #1c2024; --soft: #5b6470; --page: #ffffff; --panel: #f4f6f8; --line: #d9dee3; --link: #0b5cad;
}
@media (prefers-color-scheme: dark) {
  :root { --text: #e4e7ea; --soft: #9aa4af; --page: #14171a; --panel: #1e2327; --line: #343b42; --link: #7db8f5; }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body {
  margin: 0; color: var(--text); background: var(--page);
  font: 16px/1.55 system-ui, sans-serif; display: grid; grid-template-columns: 18rem minmax(0, 1fr);
}
nav {
  position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1.5rem 1rem; background: var(--panel);
  border-right: 1px solid var(--line); font-size: 0.875rem;
}
nav p { margin: 1rem 0 0.25rem; font-weight: 600; }
nav ul { margin: 0; padding: 0; list-style: none; }
nav li { padding: 0.1rem 0; overflow-wrap: anywhere; }
main { padding: 1.5rem 2rem 6rem; max-width: 60rem; }
a { color: var(--link); text-decoration: none; }
a:hover, a:focus-visible { text-decoration: underline; }
h1 { margin-top: 0; }
h2 { margin-top: 3rem; padding-bottom: 0.25rem; border-bottom: 1px solid var(--line); }
h3 { margin: 2rem 0 0.25rem; overflow-wrap: anywhere; }
h4 { margin: 1.25rem 0 0.25rem; }
p { margin: 0.5rem 0; }
.summary, small { color: var(--soft); }
.method { font-size: 0.8em; letter-spacing: 0.03em; color: var(--soft); }
section:target { outline: 2px solid var(--link); outline-offset: 0.5rem; border-radius: 2px; }
code { font: 0.875em ui-monospace, monospace; background: var(--panel); padding: 0.1em 0.3em; border-radius: 3px; }
pre { margin: 0.5rem 0; padding: 0.75rem; overflow: auto; background: var(--panel); border: 1px solid var(--line); }
pre code { padding: 0; background: none; }
details { margin: 0.25rem 0; }
summary { cursor: pointer; }
.codes { margin: 0.25rem 0; padding-left: 1.25rem; }
table { display: block; overflow-x: auto; border-collapse: collapse; margin: 0.5rem 0; font-size: 0.9rem; }
th, td { text-align: left; vertical-align: top; padding: 0.35rem 0.75rem 0.35rem 0; border-bottom: 1px solid var(--line); }
@media (max-width: 50rem) {
  body { display: block; }
  nav { position: static; height: auto; max-height: 40vh; border-right: 0; border-bottom: 1px solid var(--line); }
  main { padding: 1rem; }
}
@media print { nav { display: none; } body { display: block; } }
`.trimStart();
