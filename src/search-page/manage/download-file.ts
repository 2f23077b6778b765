/** Downloads a file with the API key, which a link would not send. The browser keeps large blobs on disk. */
import { type ApiClient, ApiFailure } from '../api-client.ts';

interface Download {
  /** Relative to the root of the server. */
  readonly path: string;
  readonly name: string;
  readonly bytes: number;
  /** @param part 0 to 1 */
  readonly onProgress: (part: number) => void;
}

/** @throws ApiFailure, also when the connection ends before the file does */
export async function downloadFile(
  api: ApiClient,
  { path, name, bytes, onProgress }: Download,
): Promise<void> {
  const response = await api.open(path);
  let received = 0;
  const counted = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(chunk, controller) {
      received += chunk.length;
      onProgress(bytes === 0 ? 1 : Math.min(1, received / bytes));
      controller.enqueue(chunk);
    },
  });
  let blob: Blob;
  try {
    blob = await new Response(response.body?.pipeThrough(counted) ?? null).blob();
  } catch {
    throw new ApiFailure(0, 'unreachable', `The download of ${name} was interrupted.`);
  }
  save(blob, name);
}

function save(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser has opened the blob by the next task.
  setTimeout(() => URL.revokeObjectURL(url));
}
