/** What entries were before they were changed; undefined where there was none. */
export type Undo = ReadonlyMap<string, bigint | undefined>

/** The state of the chain: whole numbers by name, with every change on record so that it can be taken back. */
export interface Store {
  readonly has: (key: string) => boolean
  /** 0 where there is no entry. */
  readonly get: (key: string) => bigint
  readonly set: (key: string, value: bigint) => void
  readonly add: (key: string, value: bigint) => void
  /** Runs something and gives what takes its changes back. Recordings may be nested: the outer one knows all changes. */
  readonly record: <A>(run: () => A) => { readonly result: A; readonly undo: Undo }
  /** Takes changes back. */
  readonly undo: (undo: Undo) => void
}

/** An empty state. */
export const makeStore = (): Store => {
  const entries = new Map<string, bigint>()
  const recordings: Array<Map<string, bigint | undefined>> = []
  const put = (key: string, value: bigint | undefined): void => {
    for (const recording of recordings) if (!recording.has(key)) recording.set(key, entries.get(key))
    if (value === undefined) entries.delete(key)
    else entries.set(key, value)
  }
  const get: Store["get"] = (key) => entries.get(key) ?? 0n
  return {
    has: (key) => entries.has(key),
    get,
    set: put,
    add: (key, value) => put(key, get(key) + value),
    record: (run) => {
      const recording = new Map<string, bigint | undefined>()
      recordings.push(recording)
      try {
        return { result: run(), undo: recording }
      } finally {
        recordings.pop()
      }
    },
    undo: (undo) => {
      for (const [key, value] of undo) put(key, value)
    }
  }
}

/** The names of the entries. Addresses and contracts are hexadecimal. */
export const keys = {
  /** Sun; there is an entry if the account is active. */
  balance: (address: string) => `balance/${address}`,
  /** When the account became active. */
  since: (address: string) => `since/${address}`,
  /** Free bandwidth that was used, and when: it comes back over a day. */
  net: (address: string) => `net/${address}`,
  netAt: (address: string) => `netAt/${address}`,
  token: (contract: string, address: string) => `token/${contract}/${address}`,
  supply: (contract: string) => `supply/${contract}`,
  /** Not 0 where the issuer has paused all transfers, or those from an address. */
  paused: (contract: string) => `paused/${contract}`,
  blacklisted: (contract: string, address: string) => `blacklisted/${contract}/${address}`,
  allowance: (contract: string, owner: string, spender: string) => `allowance/${contract}/${owner}/${spender}`
}
