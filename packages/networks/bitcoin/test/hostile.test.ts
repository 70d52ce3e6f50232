import { makeBitcoinReader } from "@bursar/bitcoin"
import { assert, describe, it } from "@effect/vitest"
import { Block, Transaction } from "bitcoinjs-lib"
import { Effect, Redacted } from "effect"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Worker } from "node:worker_threads"
import { ownAddress } from "./support/World.ts"
import { fakeNode, refusal, result } from "./support/FakeNode.ts"

const mebibyte = 1024 * 1024

/** What the objects of a block may take, the largest block that there can be included. */
const heapMebibytesMax = 160

/** The most that is read of one answer, and what may be under way when it is given up. */
const answerBytesMax = (128 + 16) * mebibyte

const script = Uint8Array.from(Buffer.from("001414db4138d56a2ecfb10881a9be394d9f321985b2", "hex"))

/** A count as it stands in transactions. */
const counted = (count: number) => {
  const bytes = Buffer.alloc(5)
  bytes.writeUInt8(0xfe)
  bytes.writeUInt32LE(count, 1)
  return bytes
}

/** A transaction that pays us, and its bytes with so many witness items of no bytes: valid where the version of segwit is yet to come. */
const filled = (items: number) => {
  const plain = new Transaction()
  plain.version = 2
  plain.addInput(new Uint8Array(32).fill(7), 0, 0xffff_fffd)
  plain.addOutput(script, 12_345n)
  const bytes = plain.toBuffer()
  const parts = [
    bytes.subarray(0, 4),
    Uint8Array.of(0, 1),
    bytes.subarray(4, -4),
    counted(items),
    new Uint8Array(items)
  ]
  return { plain, raw: Buffer.concat([...parts, bytes.subarray(-4)]) }
}

/** A block at height 1, with real proof of work for regtest, in the words of a node. */
const blockOf = (plain: Transaction, raw: Uint8Array) => {
  const coinbase = new Transaction()
  coinbase.addInput(new Uint8Array(32), 0xffff_ffff, 0xffff_ffff, Uint8Array.of(0x51, 0x00))
  coinbase.addOutput(Uint8Array.of(0x6a), 0n)
  const block = new Block()
  block.version = 0x2000_0000
  block.prevHash = new Uint8Array(32).fill(0x11)
  block.timestamp = 1_600_000_000
  block.bits = 0x207f_ffff
  block.transactions = [coinbase, plain]
  block.merkleRoot = Block.calculateMerkleRoot(block.transactions)
  while (!block.checkProofOfWork()) block.nonce += 1
  const bytes = Buffer.concat([block.toBuffer(true), Uint8Array.of(2), coinbase.toBuffer(), raw])
  return {
    hash: block.getId(),
    hex: bytes.toString("hex"),
    header: {
      hash: block.getId(),
      confirmations: 1,
      height: 1,
      version: block.version,
      merkleroot: Buffer.from(block.merkleRoot.toReversed()).toString("hex"),
      time: block.timestamp,
      mediantime: block.timestamp,
      nonce: block.nonce,
      bits: "207fffff",
      nTx: 2,
      previousblockhash: "11".repeat(32)
    }
  }
}

const nodeWith = ({ header, hex }: ReturnType<typeof blockOf>) =>
  fakeNode((call) => {
    if (call.method === "getblockheader") return result(call, header)
    return call.method === "getblock" ? result(call, hex) : refusal(call, -32_601, "Method not found")
  })

describe("a block as large as there can be one", () => {
  it.live(
    `is read within ${heapMebibytesMax} MiB of objects, though it is filled with witness items of no bytes`,
    () =>
      Effect.gen(function* () {
        const { plain, raw } = filled(3_990_000)
        const block = blockOf(plain, raw)
        const { url } = yield* nodeWith(block)
        const found = yield* Effect.callback<unknown, Error>((resume) => {
          const worker = new Worker(new URL("./support/readInWorker.ts", import.meta.url), {
            workerData: { url, hash: block.hash },
            resourceLimits: { maxOldGenerationSizeMb: heapMebibytesMax }
          })
          worker.once("message", (message) => resume(Effect.succeed(message)))
          worker.once("error", (error: Error) => resume(Effect.fail(error)))
          return Effect.promise(() => worker.terminate())
        })
        assert.deepStrictEqual(found, [[ownAddress, 12_345n]])
      }),
    60_000
  )

  it.live("is refused where it is larger than any can be", () =>
    Effect.gen(function* () {
      const { plain, raw } = filled(4_000_000)
      const block = blockOf(plain, raw)
      const { url } = yield* nodeWith(block)
      const chain = makeBitcoinReader({ rpcUrl: Redacted.make(url), chain: "regtest" })
      assert.strictEqual((yield* Effect.flip(chain.block(block.hash))).reason, "inconsistent")
    })
  )
})

/** A node whose answers have no end; tells how much of them went out. */
const endlessNode = Effect.acquireRelease(
  Effect.callback<{ readonly url: string; readonly bytes: () => number; readonly stop: () => void }>((resume) => {
    let bytes = 0
    const chunk = Buffer.alloc(mebibyte, "0")
    const server = createServer((_, response) => {
      const more = () => {
        while (!response.destroyed && response.write(chunk)) bytes += chunk.length
        bytes += chunk.length
      }
      response.on("drain", more)
      response.write('{"id":0,"error":null,"result":"')
      more()
    })
    server.listen(0, "127.0.0.1", () => {
      // A TCP server that listens has an AddressInfo.
      const { port } = server.address() as AddressInfo
      const stop = () => {
        server.close()
        server.closeAllConnections()
      }
      resume(Effect.succeed({ url: `http://u:p@127.0.0.1:${port}`, bytes: () => bytes, stop }))
    })
  }),
  ({ stop }) => Effect.sync(stop)
)

describe("a node whose answer has no end", () => {
  it.live("is given up before the answer fills the memory", () =>
    Effect.gen(function* () {
      const { bytes, url } = yield* endlessNode
      const chain = makeBitcoinReader({ rpcUrl: Redacted.make(url), chain: "regtest" })
      const error = yield* Effect.flip(chain.tip)
      assert.strictEqual(error.reason, "inconsistent")
      assert.isAtMost(bytes(), answerBytesMax)
    })
  )
})
