export interface Closable {
  close(): unknown;
}

/** Works with something, and then closes it. */
export async function closing<O extends Closable, T>(opened: O, work: (opened: O) => Promise<T>): Promise<T> {
  try {
    return await work(opened);
  } finally {
    await opened.close();
  }
}
