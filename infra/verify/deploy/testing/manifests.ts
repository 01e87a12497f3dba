import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse, parseAllDocuments } from 'yaml';

export const root = fileURLToPath(new URL('../../../..', import.meta.url));
const folder = fileURLToPath(new URL('../../../deploy/kubernetes/', import.meta.url));

// The tests themselves check the shape of a manifest.
// oxlint-disable-next-line typescript/no-explicit-any
export type Manifest = any;

export const manifestFiles: readonly string[] = readdirSync(folder).filter((name) =>
  name.endsWith('.yaml'),
);

/** Every object of the kustomize base, except the kustomization itself. */
export const manifests: readonly Manifest[] = manifestFiles
  .filter((name) => name !== 'kustomization.yaml')
  .flatMap((name) =>
    parseAllDocuments(readFileSync(`${folder}${name}`, 'utf8')).map((each): Manifest => {
      const [error] = each.errors;
      if (error) throw new Error(`${name}: ${error.message}`);
      return each.toJS();
    }),
  );

export const kustomization: Manifest = parse(readFileSync(`${folder}kustomization.yaml`, 'utf8'));

export const compose: Manifest = parse(readFileSync(`${root}infra/compose.yaml`, 'utf8'), {
  merge: true,
});

export const ofKind = (kind: string): Manifest[] => manifests.filter((each) => each.kind === kind);
export const named = (kind: string, name: string): Manifest =>
  ofKind(kind).find(({ metadata }) => metadata.name === name);
