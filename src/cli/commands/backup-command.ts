/** `gannet backup`: a snapshot or a dump, made by the server into its own folder. */
import type { Command } from '../command.ts';

export const backupCommand: Command = {
  name: 'backup',
  summary: 'Makes the server create a snapshot or a dump, and waits until it is complete',
  usage: '[--dump]',
  arguments: [0, 0],
  asksServer: true,
  options: { dump: 'a dump, which other versions read, instead of a snapshot' },
  async run({ options, instance, terminal }) {
    const path = options['dump'] === true ? '/dumps' : '/snapshots';
    const { taskUid } = await instance.request<{ taskUid: number }>('POST', path);
    terminal.progress(`task ${taskUid} …`);
    const { details } = await instance.succeeded(taskUid);
    const uid = details?.['dumpUid'];
    const what = typeof uid === 'string' ? `dump ${uid}` : 'snapshot';
    terminal.print(`the ${what} is in the folder of the server`);
    terminal.json({ taskUid, ...details });
  },
};
