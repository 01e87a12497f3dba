import { spawn, type ChildProcess } from 'node:child_process';

/**
 * Reads `+ pid signal` and `- pid` lines. The end of its input means that the supervisor is gone,
 * however it died: every process that is still listed gets its signal to end, and is killed if it
 * still runs after `$1` tenths of a second. The watchdog ends after all of them, or 30 s after the kill. Plain
 * sh: it costs a megabyte and starts in a millisecond, and it outlives a Node process that hangs.
 */
const script = `
trap '' INT TERM HUP
# A killed process holds its ports and files until each of its threads is a zombie or gone.
lives() {
  for status in "/proc/$1/task/"*/status; do
    while read -r key state _; do
      [ "$key" = State: ] || continue
      case "$state" in Z | X) break ;; *) return 0 ;; esac
    done <"$status"
  done 2>/dev/null
  return 1
}
any_lives() {
  for entry in $list; do lives "\${entry%%:*}" && return 0; done
  return 1
}
list=''
while read -r op pid signal; do
  case "$op" in
    +) list="$list $pid:$signal" ;;
    -) others=''
       for entry in $list; do [ "\${entry%%:*}" = "$pid" ] || others="$others $entry"; done
       list=$others ;;
  esac
done
for entry in $list; do kill -s "\${entry#*:}" "\${entry%%:*}" 2>/dev/null; done
tenths=0
while [ "$tenths" -lt "$1" ]; do
  any_lives || exit 0
  sleep 0.1
  tenths=$((tenths + 1))
done
for entry in $list; do kill -s KILL "\${entry%%:*}" 2>/dev/null; done
tenths=0
while [ "$tenths" -lt 300 ] && any_lives; do
  sleep 0.1
  tenths=$((tenths + 1))
done
`;

// A shell that dies at once, whatever the reason, must not become a loop of forks.
const maxLaunches = 100;

export type Watchdog = {
  /** The watching process; it ends last when the supervisor is killed. */
  readonly pid: () => number | undefined;
  /** From now on the process ends with the supervisor. */
  readonly add: (pid: number, stopSignal: NodeJS.Signals) => void;
  /** The process has ended; its pid may soon be reused. */
  readonly remove: (pid: number) => void;
  /** Ends the watching process. Processes that are still listed are ended by it. */
  readonly close: () => Promise<void>;
};

type WatchdogOptions = {
  /** How long processes get to end by themselves after the supervisor's death, before SIGKILL. */
  readonly graceMs?: number;
};

/** Starts a watchdog, and another in its place whenever it dies. */
export function startWatchdog({ graceMs = 5000 }: WatchdogOptions = {}): Watchdog {
  const watched = new Map<number, NodeJS.Signals>();
  let closing = false;
  let launches = 0;
  let child = launch();

  function launch(): ChildProcess {
    launches += 1;
    const started = spawn(
      '/bin/sh',
      ['-c', script, 'gateway-watchdog', String(Math.ceil(graceMs / 100))],
      {
        // A session of its own: Ctrl-C and a signal to the process group must not reach it.
        detached: true,
        // Without the secrets that the supervisor distributes.
        env: { PATH: process.env['PATH'] },
        stdio: ['pipe', 'ignore', 'ignore'],
      },
    );
    // Neither the process nor its pipe keeps the supervisor alive, and a broken pipe is the exit
    // below.
    started.unref();
    const { stdin } = started;
    stdin?.on('error', () => undefined);
    (stdin as { unref?: () => void } | null)?.unref?.();
    started.on('error', () => undefined);
    started.on('exit', () => {
      if (!closing && launches < maxLaunches) child = launch();
    });
    for (const [pid, signal] of watched) stdin?.write(`+ ${pid} ${signal.replace('SIG', '')}\n`);
    return started;
  }

  return {
    pid: () => child.pid,
    add: (pid, stopSignal) => {
      watched.set(pid, stopSignal);
      child.stdin?.write(`+ ${pid} ${stopSignal.replace('SIG', '')}\n`);
    },
    remove: (pid) => {
      if (watched.delete(pid)) child.stdin?.write(`- ${pid}\n`);
    },
    close: async () => {
      closing = true;
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.ref();
      const exited = new Promise((resolve) => child.once('exit', resolve));
      child.stdin?.end();
      await exited;
    },
  };
}
