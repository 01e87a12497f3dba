export { common, translator, type Translate, type Words } from '#shared/application/pages/words.ts';
