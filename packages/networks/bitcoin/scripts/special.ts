import { Transaction } from "bitcoinjs-lib"
import { Effect } from "effect"
import type { Recorder } from "./Recorder.ts"
import { ownAddress, scripts, signed } from "./wallet.ts"

const prunedBlocks = 900
const prunedTo = 300
const matureBlocks = 110
const payments = 60
const paymentsPerBlock = 4

/** A node that has forgotten its first blocks: what it says of one of them, and of one that it has. It keeps no index either. */
export const pruned = Effect.fnUntraced(function* ({ ask, phase, quietly }: Recorder) {
  phase("pruned")
  yield* quietly("generatetoaddress", prunedBlocks, ownAddress)
  yield* quietly("pruneblockchain", prunedTo)
  const forgotten = yield* quietly<string>("getblockhash", 2)
  const { tx } = yield* quietly<{ readonly tx: ReadonlyArray<string> }>(
    "getblock",
    yield* quietly<string>("getblockhash", prunedBlocks - 10)
  )
  yield* ask("getblockchaininfo")
  yield* ask("getindexinfo")
  yield* ask("getblockheader", forgotten, true)
  for (const verbosity of [0, 2, 3]) yield* ask("getblock", forgotten, verbosity)
  yield* ask("getrawtransaction", tx[0], true)
  yield* ask("getrawtransaction", tx[0], true, forgotten)
})

/** A node that has seen enough payments to estimate fees. */
export const estimated = Effect.fnUntraced(function* ({ ask, phase, quietly }: Recorder) {
  phase("estimated")
  yield* quietly("generatetoaddress", matureBlocks, ownAddress)
  const { tx } = yield* quietly<{ readonly tx: ReadonlyArray<{ readonly hex: string }> }>(
    "getblock",
    yield* quietly<string>("getblockhash", 1),
    2
  )
  const made = Transaction.fromHex(tx[0]?.hex ?? "")
  const outputs = Array.from({ length: payments }, () => ({ script: scripts.p2wpkh, value: 1_000_000n }))
  const many = signed(
    [{ made, vout: 0, kind: "p2wpkh" }],
    [...outputs, { script: scripts.p2wpkh, value: 4_939_000_000n }]
  )
  yield* quietly("generateblock", ownAddress, [many.toHex()])
  for (const vout of outputs.keys()) {
    const fee = 2_000n + BigInt(vout)
    const paid = signed([{ made: many, vout, kind: "p2wpkh" }], [{ script: scripts.p2wpkh, value: 1_000_000n - fee }])
    yield* quietly("sendrawtransaction", paid.toHex())
    if (vout % paymentsPerBlock === paymentsPerBlock - 1) yield* quietly("generatetoaddress", 1, ownAddress)
  }
  yield* ask("estimatesmartfee", 6, "economical")
  yield* ask("getmempoolinfo")
})
