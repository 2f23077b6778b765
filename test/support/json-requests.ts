/** JSON requests to servers with the master key of the shared server, and the ends of their tasks. */
import { sendJson } from './http-request.ts';
import { MASTER_KEY, type SharedServer } from './shared-server.ts';
import { until } from './until.ts';

export async function call(
  server: SharedServer,
  method: string,
  path: string,
  body?: unknown,
  token = MASTER_KEY,
) {
  const options = body === undefined ? {} : sendJson(body);
  const { json, status } = await server.call(method, path, {
    ...options,
    headers: { ...options.headers, authorization: `Bearer ${token}` },
  });
  return { status, json: json as Record<string, unknown> };
}

/** Enqueues a task and waits until it has succeeded. */
export async function settled(server: SharedServer, method: string, path: string, body: unknown) {
  const { json } = await call(server, method, path, body);
  await until(`the end of task ${json['taskUid']}`, async () => {
    const { json: task } = await call(server, 'GET', `/tasks/${json['taskUid']}`);
    if (task['status'] === 'failed') throw new Error(JSON.stringify(task));
    return task['status'] === 'succeeded';
  });
}
