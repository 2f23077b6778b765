/** Names of local models: they become names of folders, and parts of addresses of a model hub. */

const MODEL_NAME = /^\w[\w.-]{0,95}(\/\w[\w.-]{0,95})?$/;
const REVISION = /^\w[\w.-]{0,95}$/;

/** The fault of a member of a local embedder or reranker; null = none. */
export function modelNameProblem(member: string, value: unknown): string | null {
  if (typeof value !== 'string') return null;
  if (member === 'model' && !MODEL_NAME.test(value))
    return 'is not the name of a model, such as `BAAI/bge-base-en-v1.5`';
  if (member === 'revision' && !REVISION.test(value))
    return 'is not the name of a branch, tag or commit';
  return null;
}
