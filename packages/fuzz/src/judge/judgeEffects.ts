import { Effect } from "effect"
import type { Caller, Reply } from "../isolation/Caller.ts"
import { operationNamed, succeed } from "../isolation/Caller.ts"
import type { Contract } from "../contract/Contract.ts"
import type { NotReady } from "../service/ask.ts"

/** An entry of a tenant's register, as far as it is looked at. */
export interface Entry {
  readonly id: string
  readonly kind: string
  readonly status: string
  readonly reference: string | null
}

interface RawEntry {
  readonly id: string
  readonly kind: string
  readonly status: string
  readonly partner_reference: string | null
}

/** Reads the whole register of a tenant. */
export const readRegister = Effect.fnUntraced(function* (
  contract: Contract,
  caller: Caller
): Effect.fn.Return<ReadonlyArray<Entry>, NotReady> {
  const operation = operationNamed(contract, "GET /v1/register")
  const entries: Array<Entry> = []
  let cursor: string | null = ""
  while (cursor !== null) {
    const query: Readonly<Record<string, string>> = { limit: "200", ...(cursor === "" ? {} : { cursor }) }
    const page: Reply = yield* succeed(caller, { operation, query })
    for (const { id, kind, partner_reference, status } of page.json.entries as ReadonlyArray<RawEntry>) {
      entries.push({ id, kind, status, reference: partner_reference })
    }
    cursor = page.json.next_cursor
  }
  return entries
})

/** What calls have said to have made, and which calls nobody knows of what became. */
export interface Told {
  readonly made: ReadonlySet<string>
  readonly silent: ReadonlySet<string>
}

/** Deposits come from outside. */
const fromOutside: ReadonlySet<string> = new Set(["DEPOSIT"])

/** Whether the register holds what was answered with success, and nothing that was refused. */
export const judgeEffects = (
  before: ReadonlyArray<Entry>,
  after: ReadonlyArray<Entry>,
  { made, silent }: Told
): ReadonlyArray<string> => {
  const known = new Set(before.map(({ id }) => id))
  const now = new Set(after.map(({ id }) => id))
  return [
    ...after
      .filter(({ id, kind }) => !known.has(id) && !made.has(id) && !fromOutside.has(kind))
      .filter(({ reference }) => !(reference === null ? silent.size > 0 : silent.has(reference)))
      .map(({ id, kind, reference }) => `nobody was told of ${kind} ${id} (${reference ?? "no reference"})`),
    ...[...made].filter((id) => !now.has(id)).map((id) => `${id} was answered with success and is not in the register`)
  ]
}
