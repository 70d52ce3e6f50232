import type { ChainError } from "@bursar/core/port/Chain"
import { Clock, Effect } from "effect"
import type { HorizonHttp } from "../rpc/Rpc.ts"
import { inconsistent } from "../rpc/NodeAnswer.ts"
import type { Spans } from "./Spans.ts"
import { type CheckedLedger, readEndLedger } from "../read/readLedger.ts"

/** What all that is sent has in common. */
export interface SenderContext {
  readonly http: HorizonHttp
  readonly networkPassphrase: string
  /** The pinned assets as code and issuer. */
  readonly assets: ReadonlySet<string>
  /** The most that a transaction may bid, in stroops. */
  readonly feeMax: bigint
  /** How old the newest ledger may be before the node counts as lagging. */
  readonly lagMsMax: number
  /** How far long histories were read. */
  readonly spans: Spans
}

/** The newest ledger, unless it is so old that the node must be behind: then nothing it says of accounts can be relied on. */
export const freshLedger = Effect.fnUntraced(function* ({
  http,
  lagMsMax
}: SenderContext): Effect.fn.Return<CheckedLedger, ChainError> {
  const latest = yield* readEndLedger(http, "latest")
  const age = (yield* Clock.currentTimeMillis) - latest.ref.time
  return age > lagMsMax
    ? yield* inconsistent("read the newest ledger", `ledger ${latest.ref.number} is ${age} ms old: the node is behind`)
    : latest
})
