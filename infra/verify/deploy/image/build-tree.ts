import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, cpSync, lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  instructionArguments,
  findFlag,
  type Instruction,
  type BuildStage,
} from './containerfile.ts';
import { contextFiles } from './context.ts';

/** The image's root, as a folder, and how its Containerfile starts programs. */
export type ImageTree = ReturnType<typeof buildStage>;

/**
 * Runs the stages of a Containerfile in folders: COPY and RUN do what they would do in an image,
 * without the base image, whose Node and npm are this machine's.
 * @param node the program in the place of the base's
 */
export function buildTree(
  stages: readonly BuildStage[],
  { context, folder, node }: { context: string; folder: string; node: string },
): ImageTree {
  const built = new Map<string, string>();
  let last: ImageTree | undefined;
  for (const [index, stage] of stages.entries()) {
    const root = join(folder, stage.alias ?? String(index));
    mkdirSync(join(root, 'usr/local/bin'), { recursive: true });
    if (stage.base.includes('/node:')) cpSync(node, join(root, 'usr/local/bin/node'));
    last = buildStage(stage, { root, context, built });
    built.set(stage.alias ?? String(index), root);
  }
  if (!last) throw new Error('a Containerfile without a stage');
  return last;
}

function buildStage(
  stage: BuildStage,
  { root, context, built }: { root: string; context: string; built: ReadonlyMap<string, string> },
) {
  const env: Record<string, string> = {};
  let user = { uid: 0, gid: 0 };
  let workdir = '/';
  /** Node's, before the program. */
  let flags: readonly string[] = [];
  for (const instruction of stage.instructions) {
    const inside = (path: string) => join(root, path.startsWith('/') ? path : join(workdir, path));
    switch (instruction.name) {
      case 'WORKDIR':
        workdir = instruction.text;
        mkdirSync(inside('.'), { recursive: true });
        break;
      case 'ENV':
        for (const [, name = '', value = ''] of instruction.text.matchAll(/(\w+)=(\S+)/g))
          env[name] = value;
        break;
      case 'USER': {
        const [uid = 0, gid = 0] = instruction.text.split(':').map(Number);
        user = { uid, gid };
        break;
      }
      case 'COPY':
        copy(instruction, { inside, context, built });
        break;
      case 'RUN': {
        // `/data` is the one path that a RUN names from the root.
        const command = instruction.text.replaceAll(/(?<=\s)\/(?=\w)/g, `${root}/`);
        execFileSync('sh', ['-ec', command], {
          cwd: inside('.'),
          stdio: ['ignore', 'ignore', 'inherit'],
        });
        break;
      }
      case 'ENTRYPOINT':
        flags = (JSON.parse(instruction.text) as string[]).slice(1);
        break;
      case 'CMD':
      case 'HEALTHCHECK':
        break;
      default:
        throw new Error(`${instruction.name} is not followed here`);
    }
  }
  return { root, env, user, workdir, flags };
}

type Places = { inside(path: string): string; context: string; built: ReadonlyMap<string, string> };

function copy(instruction: Instruction, { inside, context, built }: Places): void {
  const [target = '.', ...sources] = instructionArguments(instruction).toReversed();
  const from = findFlag(instruction, 'from');
  if (from !== undefined) {
    const root = built.get(from) ?? '';
    for (const source of sources) {
      cpSync(join(root, source), inside(target), { recursive: true, verbatimSymlinks: true });
      const [uid = 0, gid = 0] = (findFlag(instruction, 'chown') ?? '0:0').split(':').map(Number);
      if (process.getuid?.() === 0) own(inside(target), uid, gid);
      // Without root, all copied files belong to the user: files of root in the image are at least
      // read-only.
      else if (uid === 0) execFileSync('chmod', ['-R', 'a-w', inside(target)]);
    }
    return;
  }
  const sent = contextFiles(context);
  for (const source of sources) {
    for (const file of sent.filter((each) => source === '.' || each === source)) {
      const to = join(inside(target), file);
      mkdirSync(dirname(to), { recursive: true });
      cpSync(join(context, file), to);
    }
  }
}

/** An image's files belong to the named user, and others may not write them. */
function own(path: string, uid: number, gid: number): void {
  const stat = lstatSync(path);
  if (stat.isSymbolicLink()) return;
  chownSync(path, uid, gid);
  if (stat.isDirectory()) for (const name of readdirSync(path)) own(join(path, name), uid, gid);
  chmodSync(path, stat.mode & 0o755);
}
