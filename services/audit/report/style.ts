/** For paper first: black on white. */
export const style = `
@page { size: A4; margin: 16mm 14mm; }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 24px; max-width: 1000px; color: #161a22; background: #fff;
  font: 14px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif; }
h1 { margin: 0 0 4px; font-size: 24px; }
h2 { margin: 28px 0 8px; font-size: 17px; break-after: avoid; }
h3 { margin: 16px 0 6px; font-size: 14px; break-after: avoid; }
p { margin: 6px 0; }
code { font: 12px/1.4 ui-monospace, "DejaVu Sans Mono", Menlo, monospace; overflow-wrap: anywhere; }
.verdict { margin: 14px 0; padding: 10px 14px; border: 2px solid; border-left-width: 10px; font-weight: 600; }
.holds { border-color: #0a6638; }
.violated { border-color: #a51d1d; }
.incomplete, .nothing, .failed { border-color: #764800; }
table { width: 100%; border-collapse: collapse; font-size: 12px; }
thead { display: table-header-group; }
tr { break-inside: avoid; }
th, td { padding: 4px 6px; border-bottom: 1px solid #c9ced8; text-align: left; vertical-align: top; }
th { font-weight: 600; }
thead th { border-bottom: 2px solid #545c6b; }
.figures th { width: 34%; font-weight: 400; color: #545c6b; }
.muted { font-weight: 400; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.bad { color: #a51d1d; font-weight: 600; }
.muted { color: #545c6b; }
.message { overflow-wrap: anywhere; }
ul { margin: 6px 0; padding-left: 20px; }
@media screen and (max-width: 40rem) { body { padding: 12px; } th, td { padding: 4px; overflow-wrap: anywhere; hyphens: auto; } .number { white-space: normal; } }
@media print { body { padding: 0; max-width: none; font-size: 10pt; } table { font-size: 8.5pt; } code { font-size: 8pt; } }
`;
