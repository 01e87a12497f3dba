import { expect, it } from 'vitest';
import { pictureType } from './picture-type.ts';

it.each([
  ['\x89PNG\r\n\x1a\n....', 'image/png'],
  ['\xff\xd8\xff\xe0..JFIF', 'image/jpeg'],
  ['RIFF\x10\x00\x00\x00WEBPVP8 ', 'image/webp'],
  ['RIFF\x10\x00\x00\x00WAVE', undefined],
  ['<svg onload="alert(1)">', undefined],
  ['<html>\x89PNG\r\n\x1a\n', undefined],
  ['\x89PN', undefined],
  ['', undefined],
])('the picture type of %j is %s', (text, type) => {
  expect(pictureType(Buffer.from(text, 'latin1'))).toBe(type);
});
