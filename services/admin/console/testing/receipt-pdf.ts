/** A page that looks like a bank's receipt: small, and a PDF that browsers show. */
export function receiptPdf(amount: string): string {
  const lines = [
    'Bank receipt',
    `Amount: ${amount} RUB`,
    'To: +7 945 *** ** 17',
    'Status: in progress',
    'No. 4471-0098',
  ];
  const text = lines.map((line, index) => `1 0 0 1 60 ${760 - index * 34} Tm (${line}) Tj`).join(' ');
  const content = `BT /F1 22 Tf ${text} ET`;
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>',
    `<</Length ${content.length}>>\nstream\n${content}\nendstream`,
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
  ];
  let file = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const offset = file.length;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const trailer = `trailer<</Size ${objects.length + 1}/Root 1 0 R>>\nstartxref\n${file.length}\n%%EOF`;
  return `${file}xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}${trailer}`;
}
