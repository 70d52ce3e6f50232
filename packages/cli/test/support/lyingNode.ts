import { fail, type JsonRpcCall, type JsonRpcReply, parse, succeed } from "@bursar/simulator-evm/JsonRpc"
import { listen } from "@bursar/simulator-kit/HttpListener"
import { Effect } from "effect"
import { type Hex, hexToBytes, keccak256, numberToHex, toRlp } from "viem"

/** Asks the honest node. */
export type AskNode = (method: string, params: ReadonlyArray<unknown>) => Promise<unknown>

/** What is said in place of the honest answer to a call; undefined where the lie does not concern it. */
export type Lie = (call: JsonRpcCall, honest: unknown, ask: AskNode) => unknown

/** A node that says what it is told to say, before one that is honest. */
export interface LyingNode {
  readonly url: string
  /** Tells one more lie from now on. The first lie that concerns a call answers it. */
  readonly tell: (lie: Lie) => Effect.Effect<void>
  /** Says nothing but the truth from now on. */
  readonly repent: Effect.Effect<void>
  /** How many answers were lies. */
  readonly lied: Effect.Effect<number>
}

const post = async (upstream: string, body: string) => {
  const response = await fetch(upstream, { method: "POST", headers: { "content-type": "application/json" }, body })
  return { status: response.status, text: await response.text() }
}

/** Starts a node before `upstream` (`http://…`) that lies when it is told to, until the scope closes. */
export const lyingNode = Effect.fnUntraced(function* (upstream: string) {
  const lies: Array<Lie> = []
  let lied = 0

  const forward = async (call: JsonRpcCall): Promise<JsonRpcReply> =>
    JSON.parse((await post(upstream, JSON.stringify({ jsonrpc: "2.0", ...call }))).text)

  const ask: AskNode = async (method, params) => (await forward({ id: 0, method, params })).result

  const answer = async (call: JsonRpcCall): Promise<JsonRpcReply> => {
    const reply = await forward(call)
    if (reply.error !== undefined) return fail(call, reply.error.code, reply.error.message)
    for (const lie of lies) {
      // one after the other: the first that concerns the call answers it
      // oxlint-disable-next-line no-await-in-loop
      const instead = await lie(call, reply.result, ask)
      if (instead === undefined) continue
      lied += 1
      return succeed(call, instead)
    }
    return reply
  }

  const answers = async (body: string) => {
    const parsed = lies.length === 0 ? undefined : parse(body)
    if (parsed === undefined) return post(upstream, body)
    const replies = await Promise.all(parsed.calls.map(answer))
    return { status: 200, text: JSON.stringify(parsed.batch ? replies : replies[0]) }
  }

  const port = yield* listen(0, (exchange) =>
    Effect.tryPromise(() => answers(exchange.body)).pipe(
      Effect.flatMap(({ status, text }) => exchange.answer(status, text)),
      Effect.catch(() => exchange.drop)
    )
  )
  return {
    url: `http://127.0.0.1:${port}`,
    tell: (lie) => Effect.sync(() => void lies.push(lie)),
    repent: Effect.sync(() => void (lies.length = 0)),
    lied: Effect.sync(() => lied)
  } satisfies LyingNode
})

type Json = Readonly<Record<string, unknown>>

const isJson = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

const jsonsIn = (value: unknown): ReadonlyArray<Json> => (Array.isArray(value) ? value.filter(isJson) : [])

// what anvil calls a quantity or bytes is hexadecimal
const hex = (value: unknown): Hex => value as Hex

const scalar = (value: unknown): Hex => (BigInt(hex(value)) === 0n ? "0x" : numberToHex(BigInt(hex(value))))

/** The root of the receipts of a block with one transaction (EIP-2718, Yellow Paper appendix D): a leaf at the key of index 0. */
const rootOfOne = (receipt: Json): Hex => {
  const logs = jsonsIn(receipt["logs"]).map(({ address, data, topics }): [Hex, ReadonlyArray<Hex>, Hex] => [
    hex(address),
    Array.isArray(topics) ? topics.map(hex) : [],
    hex(data)
  ])
  const fields = [scalar(receipt["status"]), scalar(receipt["cumulativeGasUsed"]), hex(receipt["logsBloom"]), logs]
  const body = toRlp(fields)
  const kind = Number(receipt["type"] ?? 0)
  const value: Hex = kind === 0 ? body : `0x${kind.toString(16).padStart(2, "0")}${body.slice(2)}`
  return keccak256(hexToBytes(toRlp(["0x2080", value])))
}

/** The three bits of a bloom filter that an address or topic sets, as positions from the right (Yellow Paper, 4.3.1). */
const bitsOf = (item: string): ReadonlyArray<number> => {
  const hash = keccak256(hexToBytes(hex(item)), "bytes")
  return [0, 2, 4].map((at) => (((hash[at] ?? 0) << 8) | (hash[at + 1] ?? 0)) & 2047)
}

/** The bloom filter of logs. */
const bloomOf = (logs: ReadonlyArray<Json>): Hex => {
  const items = logs.flatMap(({ address, topics }) => [address, ...(Array.isArray(topics) ? topics : [])].map(String))
  const bloom = items.flatMap(bitsOf).reduce((all, bit) => all | (1n << BigInt(bit)), 0n)
  return numberToHex(bloom, { size: 256 })
}

/** What a node says of a transaction and of its receipt. */
interface Rewritten {
  readonly transaction: (honest: Json) => Json
  readonly receipt: (honest: Json) => Json
}

const rewritten = ({ receipt }: Rewritten, honest: Json): Json => {
  const told = receipt(honest)
  return { ...told, logsBloom: bloomOf(jsonsIn(told["logs"])) }
}

/** Says something else of a transaction, without a contradiction. It must be a plain transfer, alone in its block. */
const rewriting =
  (txHash: string, how: Rewritten): Lie =>
  async ({ method, params }, honest, ask) => {
    if (method === "eth_getTransactionReceipt" && params.includes(txHash) && isJson(honest))
      return rewritten(how, honest)
    if (method === "eth_getTransactionByHash" && params.includes(txHash) && isJson(honest))
      return how.transaction(honest)
    if (method === "eth_getBlockReceipts") {
      const receipts = jsonsIn(honest)
      return receipts.some(({ transactionHash }) => transactionHash === txHash)
        ? receipts.map((receipt) => rewritten(how, receipt))
        : undefined
    }
    if (!method.startsWith("eth_getBlockBy") || !isJson(honest)) return undefined
    const { transactions } = honest
    const [only] = jsonsIn(transactions)
    if (!Array.isArray(transactions) || (transactions[0] !== txHash && only?.["hash"] !== txHash)) return undefined
    const receipt = await ask("eth_getTransactionReceipt", [txHash])
    if (transactions.length !== 1 || !isJson(receipt)) throw new Error("it is not alone in its block")
    const told = rewritten(how, receipt)
    return {
      ...honest,
      ...(only === undefined ? {} : { transactions: [how.transaction(only)] }),
      logsBloom: told["logsBloom"],
      receiptsRoot: rootOfOne(told)
    }
  }

const movesCoin = ({ value }: Json): boolean => value !== "0x0"

/** Says that a transaction moved so much, be it of the network's coin or of a token: a deposit that nobody paid for. */
export const inflating = (txHash: string, units: bigint): Lie =>
  rewriting(txHash, {
    transaction: (honest) => (movesCoin(honest) ? { ...honest, value: numberToHex(units) } : honest),
    receipt: (honest) => ({
      ...honest,
      logs: jsonsIn(honest["logs"]).map((log) => ({ ...log, data: numberToHex(units, { size: 32 }) }))
    })
  })

const wordOf = (address: string): Hex => `0x${address.slice(2).toLowerCase().padStart(64, "0")}`

/** Says that a transaction paid somebody else: a deposit that never was. */
export const redirecting = (txHash: string, to: string): Lie =>
  rewriting(txHash, {
    transaction: (honest) => (movesCoin(honest) ? { ...honest, to } : honest),
    receipt: (honest) => {
      const logs = jsonsIn(honest["logs"])
      const paid = logs.map((log) => ({
        ...log,
        topics: jsonTopics(log).map((topic, at) => (at === 2 ? wordOf(to) : topic))
      }))
      return { ...honest, ...(logs.length === 0 ? { to } : {}), logs: paid }
    }
  })

const jsonTopics = ({ topics }: Json): ReadonlyArray<unknown> => (Array.isArray(topics) ? topics : [])

/** Says that a transaction failed. */
export const reverting = (txHash: string): Lie =>
  rewriting(txHash, { transaction: (honest) => honest, receipt: (honest) => ({ ...honest, status: "0x0", logs: [] }) })

/** Says that a transaction which failed has paid as it was to. */
export const succeeding = (
  txHash: string,
  { topics, units }: { readonly topics: ReadonlyArray<Hex>; readonly units: bigint }
): Lie =>
  rewriting(txHash, {
    transaction: (honest) => honest,
    receipt: (honest) => {
      const { blockHash, blockNumber, to, transactionHash, transactionIndex } = honest
      const place = { blockHash, blockNumber, transactionHash, transactionIndex, logIndex: "0x0", removed: false }
      const log = { ...place, address: to, topics, data: numberToHex(units, { size: 32 }) }
      return { ...honest, status: "0x1", logs: [log] }
    }
  })

/** Says that another transaction stands where one does: that one was never included, and what it used up is gone. */
export const renaming = (txHash: string): Lie => {
  const other = keccak256(hex(txHash))
  return ({ params }, honest) => {
    if (params.includes(txHash)) return null
    const text = JSON.stringify(honest) ?? ""
    return text.includes(txHash) ? JSON.parse(text.replaceAll(txHash, other)) : undefined
  }
}

/** Says that there is no receipt of a transaction. */
export const withoutReceipt =
  (txHash: string): Lie =>
  ({ method, params }) =>
    method === "eth_getTransactionReceipt" && params.includes(txHash) ? null : undefined

const balanceOf = "0x70a08231"

/** Says that an address holds so much, of the network's coin and of every token. */
export const holding =
  (address: string, units: bigint): Lie =>
  ({ method, params: [first] }) => {
    const bare = address.slice(2).toLowerCase()
    if (method === "eth_getBalance" && String(first).toLowerCase() === `0x${bare}`) return numberToHex(units)
    if (method !== "eth_call" || !isJson(first)) return undefined
    const data = String(first["data"] ?? first["input"]).toLowerCase()
    return data.startsWith(balanceOf) && data.endsWith(bare) ? numberToHex(units, { size: 32 }) : undefined
  }
