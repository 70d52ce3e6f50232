import type { Account } from "./Account.ts"

/** The accounts of the network by their names. */
export type Accounts = ReadonlyMap<string, Account>

/** An account before and after something; undefined where there was or is none. */
export interface Changed {
  readonly before: Account | undefined
  readonly after: Account | undefined
}

/** Changes over a state that can still be thrown away. */
export interface Draft {
  readonly get: (id: string) => Account | undefined
  /** Undefined removes the account. */
  readonly put: (id: string, account: Account | undefined) => void
  /** The accounts that are not what they were below. */
  readonly changes: () => ReadonlyArray<Changed>
}

/** Begins changes over what is below. */
export const draftOver = (below: Pick<Draft, "get">): Draft => {
  const own = new Map<string, Account | undefined>()
  return {
    get: (id) => (own.has(id) ? own.get(id) : below.get(id)),
    put: (id, account) => {
      own.set(id, account)
    },
    changes: () =>
      [...own].flatMap(([id, after]) => {
        const before = below.get(id)
        return before === after ? [] : [{ before, after }]
      })
  }
}

/** Puts the changes of a draft into what is below it. */
export const settle = (draft: Draft, below: Draft): void => {
  for (const { after, before } of draft.changes()) {
    const id = after?.id ?? before?.id
    if (id !== undefined) below.put(id, after)
  }
}

/** The state after a draft. */
export const applied = (accounts: Accounts, draft: Draft): Accounts => {
  const changes = draft.changes()
  if (changes.length === 0) return accounts
  const next = new Map(accounts)
  for (const { after, before } of changes) {
    if (after !== undefined) next.set(after.id, after)
    else if (before !== undefined) next.delete(before.id)
  }
  return next
}
