import { Transaction } from "bitcoinjs-lib"
import { Effect } from "effect"
import { unknown } from "./questions.ts"
import type { Recorder } from "./Recorder.ts"
import { type Utxo, hex, paying, scripts, signed, toHex } from "./wallet.ts"

/** What the sender asks about a transaction whose inputs the node misses. */
export const askWhatIsLeft = Effect.fnUntraced(function* ({ ask }: Recorder, made: Transaction) {
  yield* ask("getmempoolentry", made.getId())
  for (const vout of made.outs.keys()) yield* ask("gettxout", made.getId(), vout, false)
  for (const { hash, index } of made.ins) yield* ask("gettxout", toHex(hash.toReversed()), index, false)
})

/** What is refused, and in which words. */
export const askForRefusals = Effect.fnUntraced(function* (
  recorder: Recorder,
  free: Utxo,
  waiting: Utxo,
  immature: Utxo
) {
  const { ask } = recorder
  const tampered = paying([free], 1_000n)
  const [signature] = tampered.ins[0]?.witness ?? []
  if (signature !== undefined) signature[10] = (signature[10] ?? 0) ^ 1
  // Refused before its signature is looked at, which is then wrong as well.
  const beyond = paying([free], 1_000n)
  for (const output of beyond.outs) output.value = 5_000_001n
  const missing = new Transaction()
  missing.version = 2
  missing.addInput(hex(unknown), 0)
  missing.addOutput(scripts.p2wpkh, 1_000n)
  const nothing = Array.from({ length: 2 }, () => ({ script: hex("6a"), value: 0n }))
  const odd = { script: hex("51"), value: 600n }
  const refused = [
    paying([free], 1n),
    paying([free], 4_999_999n),
    paying([free], 1_000n, scripts.p2wpkh, 4_000),
    paying([free], 1_000n, scripts.p2wpkh, 1_900_000_000),
    paying([{ ...free, sequence: 200 }], 1_000n),
    paying([immature], 1_000n),
    paying([waiting], 1_000n),
    paying([waiting], 1n),
    beyond,
    signed([free], [...nothing, { script: scripts.p2wpkh, value: 4_990_000n }]),
    signed([free], [odd, { script: scripts.p2wpkh, value: 4_990_000n }]),
    signed(
      [free],
      [
        { script: hex("6a0101"), value: 600n },
        { script: scripts.p2wpkh, value: 4_990_000n }
      ]
    ),
    tampered,
    missing
  ]
  for (const made of refused) {
    yield* ask("testmempoolaccept", [made.toHex()], 0)
    yield* ask("sendrawtransaction", made.toHex(), 0)
  }
  yield* askWhatIsLeft(recorder, missing)
  const dear = paying([free], 4_000_000n)
  yield* ask("testmempoolaccept", [dear.toHex()])
  yield* ask("sendrawtransaction", dear.toHex())
  for (const text of ["00", "zz", ""]) {
    yield* ask("sendrawtransaction", text)
    yield* ask("testmempoolaccept", [text])
  }
  yield* ask("testmempoolaccept", [])
})
