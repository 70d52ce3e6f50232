import { Block, Transaction } from "bitcoinjs-lib"
import { type Answer, type Call, replay, result } from "./FakeNode.ts"

/** What a coinbase pays: the script and the satoshi. */
export interface Paid {
  readonly script: string
  readonly units: bigint
}

/** A block of nothing but a coinbase, with real proof of work for regtest, in the words of a node. */
export const mined = (height: number, outputs: ReadonlyArray<Paid>, parent = "11".repeat(32)) => {
  const coinbase = new Transaction()
  coinbase.addInput(new Uint8Array(32), 0xffff_ffff, 0xffff_ffff, Uint8Array.of(1, height))
  for (const { script, units } of outputs) coinbase.addOutput(Uint8Array.from(Buffer.from(script, "hex")), units)
  const block = new Block()
  block.version = 0x2000_0000
  block.prevHash = Uint8Array.from(Buffer.from(parent, "hex").toReversed())
  block.timestamp = 1_600_000_000
  block.bits = 0x207f_ffff
  block.transactions = [coinbase]
  block.merkleRoot = coinbase.getHash()
  while (!block.checkProofOfWork()) block.nonce += 1
  return {
    hash: block.getId(),
    txid: coinbase.getId(),
    raw: Buffer.from(block.toBuffer()).toString("hex"),
    header: {
      hash: block.getId(),
      confirmations: 100,
      height,
      version: block.version,
      merkleroot: Buffer.from(block.merkleRoot.toReversed()).toString("hex"),
      time: block.timestamp,
      mediantime: block.timestamp,
      nonce: block.nonce,
      bits: "207fffff",
      nTx: 1,
      previousblockhash: parent
    }
  }
}

/** The recorded node with this block a hundred confirmations back from the recorded one. */
export const replayWith =
  (block: ReturnType<typeof mined>) =>
  (call: Call): Answer => {
    const [first] = call.params
    if (call.method === "getblockhash" && first === block.header.height) return result(call, block.hash)
    if (first !== block.hash) return replay(call)
    return result(call, call.method === "getblock" ? block.raw : block.header)
  }
