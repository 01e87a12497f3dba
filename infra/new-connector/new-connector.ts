import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What of the template is left to write: with it every answer is unknown, and the suite fails. */
const written = /return orderSchema\.safeParse\(body\)\.data;/;
const toWrite =
  'void body; // What your provider says is read here: docs/developers/connectors.md\n  return undefined;';

/**
 * Makes a connector's folder from the template and registers it.
 * @returns the files that it wrote, below the root; or why it wrote none
 */
export function newConnector(root: string, name: string): { files: string[] } | { fault: string } {
  if (!/^[a-z][a-z0-9]{1,31}$/.test(name))
    return { fault: 'a name has 2 to 32 small letters and digits, and begins with a letter' };
  const providers = 'shared/application/providers';
  const folder = `${providers}/${name}`;
  if (existsSync(join(root, folder))) return { fault: `${folder} is there already` };
  const Name = name.charAt(0).toUpperCase() + name.slice(1);
  const files: string[] = [];
  const write = (path: string, text: string) => {
    writeFileSync(join(root, path), text);
    files.push(path);
  };
  const read = (path: string) => readFileSync(join(root, path), 'utf8');
  const named = (file: string) =>
    read(`${providers}/testing/template/${file}`)
      .replaceAll('Template', Name)
      .replaceAll('templateCredentials', `${name}Credentials`)
      .replaceAll("'template'", `'${name}'`);
  mkdirSync(join(root, folder, 'testing'), { recursive: true });
  write(`${folder}/connector.ts`, named('connector.ts').replace(written, toWrite));
  write(`${folder}/testing/simulator.ts`, named('simulator.ts'));
  const suite = named('conformance-suite.slow.test.ts').replace(
    './simulator.ts',
    './testing/simulator.ts',
  );
  write(`${folder}/conformance-suite.slow.test.ts`, suite);

  const names = read(`${providers}/names.ts`);
  write(`${providers}/names.ts`, names.replace(/\] as const;/, `, '${name}'] as const;`));
  const forms = read(`${providers}/credentials-forms.ts`)
    .replace(/^import type/m, `import { ${name}Credentials } from './${name}/connector.ts';\n$&`)
    .replace(/^\};/m, `  ${name}: ${name}Credentials,\n$&`);
  write(`${providers}/credentials-forms.ts`, forms);
  const index = read(`${providers}/index.ts`)
    .replace(
      /^import type \{ Provider/m,
      `import { create${Name}Connector, ${name}Credentials } from './${name}/connector.ts';\n$&`,
    )
    // Its URL becomes a setting of its own (shared/platform/config/variables.ts).
    .replace(
      /^ {2}\};\n {2}\/\/ A provider without a URL/m,
      `    ${name}: ${name}Of('http://127.0.0.1:9'),\n$&`,
    );
  const kind = `
function ${name}Of(url: string): ProviderKind {
  return {
    connect: ({ current }) => create${Name}Connector({ url, ...${name}Credentials.schema.parse(current) }),
  };
}
`;
  write(`${providers}/index.ts`, `${index}${kind}`);
  return { files };
}
