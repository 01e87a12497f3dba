import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Manifest } from '../testing/manifests.ts';
import { root, runProgram, toolsFolder } from './tools.ts';

/**
 * The faults that Kubernetes' API would find in objects: values by its JSON schemas, fields by its
 * types, which allow no others.
 */
export async function checkObjects(objects: readonly Manifest[]): Promise<string[]> {
  const problems: string[] = [];
  for (const object of objects) {
    const url = pathToFileURL(
      join(toolsFolder, 'node_modules/kubernetes-models', object.apiVersion, 'index.js'),
    );
    const models = (await import(url.href)) as Record<
      string,
      new (data: object) => { validate(): void }
    >;
    const Model = models[object.kind];
    try {
      if (!Model) throw new Error('there is no such kind');
      new Model(object).validate();
    } catch (error) {
      problems.push(`${object.kind} ${object.metadata?.name}: ${(error as Error).message}`);
    }
  }
  return [...problems, ...checkFields(objects)];
}

/** The compiler refuses a literal with an unknown field, at any depth. */
function checkFields(objects: readonly Manifest[]): string[] {
  const lines = objects.flatMap((object, index) => [
    `import type { I${object.kind} as Type${index} } from 'kubernetes-models/${object.apiVersion}';`,
    `export const object${index}: Type${index} = ${JSON.stringify(object, undefined, 1)};`,
  ]);
  const folder = join(toolsFolder, 'fields');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'objects.ts');
  writeFileSync(file, lines.join('\n'));
  const options = ['--ignoreConfig', '--noEmit', '--strict', '--skipLibCheck', '--types', ''];
  const modules = ['--module', 'nodenext', '--moduleResolution', 'nodenext'];
  const compiled = runProgram(join(root, 'node_modules/.bin/tsc'), [...options, ...modules, file]);
  return compiled.failed ? compiled.output.trim().split('\n') : [];
}
