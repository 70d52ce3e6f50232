import { Transaction } from "bitcoinjs-lib"
import { Effect } from "effect"
import { outputs } from "./outputs.ts"
import { askForAddresses, askForMistakes, askOfBlock, askOfNode, askOfTransaction } from "./questions.ts"
import type { Recorder } from "./Recorder.ts"
import { askForRefusals, askWhatIsLeft } from "./refusals.ts"
import { utxo, ownAddress, paying, scripts, signed } from "./wallet.ts"

const start = 1_700_000_000
const blockSeconds = 600
const firstBlocks = 101

/**
 * Takes a node through the life of transactions: mined, waiting, replaced by a reorganisation, driven out by a rival; and asks at each
 * station what our readers and sender ask, and what the local node of development answers as well.
 */
export const scenario = Effect.fnUntraced(function* (recorder: Recorder) {
  const { ask, at, keepBlock, phase, quietly } = recorder
  let time = start
  const tick = Effect.suspend(() => at((time += blockSeconds)))
  const mine = Effect.fnUntraced(function* (transactions: ReadonlyArray<string>) {
    yield* tick
    const { hash } = yield* quietly<{ readonly hash: string }>("generateblock", ownAddress, transactions)
    yield* keepBlock(hash)
    return hash
  })
  const coinbaseOf = Effect.fnUntraced(function* (height: number) {
    const hash = yield* quietly<string>("getblockhash", height)
    const { tx } = yield* quietly<{ readonly tx: ReadonlyArray<{ readonly hex: string }> }>("getblock", hash, 2)
    return Transaction.fromHex(tx[0]?.hex ?? "")
  })

  phase("empty")
  yield* at(time)
  yield* askOfNode(recorder)
  yield* askOfBlock(recorder, yield* quietly<string>("getblockhash", 0))
  yield* askForMistakes(recorder)
  yield* askForAddresses(recorder)
  yield* ask("getnetworkinfo")

  phase("mined")
  for (let count = 0; count < firstBlocks; count++) yield* mine([])
  const first = utxo(yield* coinbaseOf(1), 0)
  const spare = (first.made.outs[0]?.value ?? 0n) - outputs.reduce((sum, { value }) => sum + value, 0n) - 10_000n
  const funding = signed([first], [...outputs, { script: scripts.p2wpkh, value: spare }])
  const fundedIn = yield* mine([funding.toHex()])
  yield* askOfNode(recorder)
  yield* askOfBlock(recorder, fundedIn)
  yield* askOfTransaction(recorder, funding, fundedIn)
  for (const verbosity of [0, 1]) yield* ask("getrawtransaction", first.made.getId(), verbosity)
  yield* ask("getrawtransaction", funding.getId(), true, yield* quietly<string>("getblockhash", 1))

  phase("waiting")
  yield* tick
  const kinds = [utxo(funding, 0), utxo(funding, 1, "p2pkh"), utxo(funding, 2, "p2sh"), utxo(funding, 3, "p2tr")]
  const parent = paying(kinds, 20_000n, scripts.p2tr)
  yield* ask("testmempoolaccept", [parent.toHex()], 0)
  yield* ask("sendrawtransaction", parent.toHex(), 0)
  const child = paying([utxo(parent, 0, "p2tr")], 3_000n)
  yield* ask("testmempoolaccept", [child.toHex()], 0)
  yield* ask("sendrawtransaction", child.toHex(), 0)
  yield* askOfNode(recorder)
  yield* askOfTransaction(recorder, parent, undefined)
  yield* askOfTransaction(recorder, child, undefined)
  yield* ask("gettxout", funding.getId(), 0, true)
  yield* ask("gettxout", funding.getId(), 0, false)
  yield* askForRefusals(recorder, utxo(funding, 4), kinds[0] ?? first, utxo(yield* coinbaseOf(90), 0))

  phase("repeated")
  yield* ask("testmempoolaccept", [parent.toHex()], 0)
  yield* ask("sendrawtransaction", parent.toHex(), 0)
  const bumped = paying([utxo(parent, 0, "p2tr")], 30_000n)
  yield* ask("testmempoolaccept", [bumped.toHex()], 0)
  yield* ask("sendrawtransaction", bumped.toHex(), 0)
  yield* askOfNode(recorder)
  yield* askOfTransaction(recorder, child, undefined)
  yield* askOfTransaction(recorder, bumped, undefined)

  phase("confirmed")
  const lost = yield* mine([parent.getId(), bumped.getId()])
  yield* ask("testmempoolaccept", [bumped.toHex()], 0)
  yield* askOfNode(recorder)
  yield* askOfBlock(recorder, lost)
  yield* askOfTransaction(recorder, parent, lost)

  phase("confirmed long ago")
  // The scan has written the node's cache to its disk, and it no longer knows what it has just seen mined.
  for (const made of [bumped, parent, child]) {
    yield* ask("testmempoolaccept", [made.toHex()], 0)
    yield* ask("sendrawtransaction", made.toHex(), 0)
    yield* askWhatIsLeft(recorder, made)
  }

  phase("lost")
  yield* ask("invalidateblock", lost)
  yield* askOfNode(recorder)
  yield* askOfBlock(recorder, fundedIn)
  yield* askOfBlock(recorder, lost)
  yield* askOfTransaction(recorder, parent, lost)
  yield* askOfTransaction(recorder, bumped, undefined)

  phase("replaced")
  yield* mine([])
  const rival = paying([utxo(funding, 0)], 0n)
  const tip = yield* mine([rival.toHex()])
  yield* askOfNode(recorder)
  yield* askOfBlock(recorder, tip)
  yield* askOfBlock(recorder, lost)
  yield* askOfTransaction(recorder, parent, lost)
  yield* askOfTransaction(recorder, rival, tip)
  yield* ask("testmempoolaccept", [parent.toHex()], 0)
  yield* ask("sendrawtransaction", parent.toHex(), 0)
  yield* askWhatIsLeft(recorder, parent)
  yield* ask("scantxoutset", "start", [`addr(${ownAddress})`])
})
