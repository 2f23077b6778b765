/** Requests on whose end two readers could disagree, each with a second request behind it. */
import { connect } from 'node:net';
import type { Attack } from './attack.ts';

const BODY = '{"q":"a"}';
const CHUNKED = `9\r\n${BODY}\r\n0\r\n\r\n`;

/** Everything that the server says before it closes the connection. */
const answersTo = (port: number, text: string): Promise<string> =>
  new Promise((done) => {
    const socket = connect(port, '127.0.0.1');
    let said = '';
    socket.on('data', (bytes) => {
      said += bytes.toString('latin1');
    });
    socket.on('error', () => socket.destroy());
    socket.once('close', () => done(said));
    socket.write(text);
  });

export const attack: Attack = {
  name: 'request smuggling',
  sends:
    'two lengths, a length and chunks, unknown encodings, malformed chunks, each before a second request',
  short: true,
  async run({ port, key, isShort }) {
    const head = `Host: a\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json`;
    const first = `POST /indexes/texts/search HTTP/1.1\r\n${head}`;
    const behind = `GET /version HTTP/1.1\r\n${head}\r\n\r\n`;
    const shapes = [
      `Content-Length: 9\r\nContent-Length: 3\r\n\r\n${BODY}`,
      `Content-Length: 3\r\nContent-Length: 9\r\n\r\n${BODY}`,
      `Content-Length: +9\r\n\r\n${BODY}`,
      `Content-Length: \r\n\r\n${BODY}`,
      `Content-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n${CHUNKED}`,
      `Transfer-Encoding: chunked\r\nContent-Length: 9\r\n\r\n${CHUNKED}`,
      `Transfer-Encoding: chunked, magic\r\n\r\n${CHUNKED}`,
      `Transfer-Encoding: gzip, chunked\r\n\r\n${CHUNKED}`,
      `Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n${CHUNKED}`,
    ];
    const broken: string[] = [];
    const chunkShapes = [
      ` ${CHUNKED}`,
      `\r\n${CHUNKED}`,
      CHUNKED.replace(`${BODY}\r\n`, `${BODY}XX`),
      CHUNKED.replaceAll('\r\n', '\n'),
    ];
    for (const chunks of chunkShapes) {
      const text = `${first}\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}${behind}`;
      const count = (await answersTo(port, text)).match(/HTTP\/1\.1 /g)?.length ?? 0;
      if (count > 1) broken.push(`what came behind ${JSON.stringify(chunks)} was served`);
    }
    for (let round = 0; round < (isShort ? 1 : 100); round++)
      for (const shape of shapes) {
        const alone = await answersTo(port, `${first}\r\n${shape}`);
        if (!alone.startsWith('HTTP/1.1 400 '))
          broken.push(`${JSON.stringify(shape)} was answered ${alone.slice(0, 15)}`);
        const said = await answersTo(port, `${first}\r\n${shape}${behind}`);
        if (said.includes('HTTP/1.1 200 '))
          broken.push(`what came behind ${JSON.stringify(shape)} was served`);
      }
    return broken;
  },
};
