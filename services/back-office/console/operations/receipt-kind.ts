/** Types that a browser shows as a picture and nothing else; no SVG, which may hold script. */
const pictures: readonly { type: string; begins: readonly (number | undefined)[] }[] = [
  { type: 'image/png', begins: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] },
  { type: 'image/jpeg', begins: [0xff, 0xd8, 0xff] },
  {
    type: 'image/webp',
    // RIFF, four bytes of length, WEBP
    begins: [
      0x52,
      0x49,
      0x46,
      0x46,
      undefined,
      undefined,
      undefined,
      undefined,
      0x57,
      0x45,
      0x42,
      0x50,
    ],
  },
];

/** What a payer's file is as a picture, by its first bytes; whatever its name was. */
export const pictureType = (content: Uint8Array): string | undefined =>
  pictures.find(({ begins }) =>
    begins.every((byte, at) => byte === undefined || content[at] === byte),
  )?.type;
