import { accountJson, contractJson, type Read, resourceJson } from "./accountJson.ts"
import { hexOf, shown } from "./address.ts"
import { type Block, producers } from "./Block.ts"
import { blockJson, executedJson, infoJson } from "./blockJson.ts"
import * as calls from "./callApi.ts"
import type { Chain } from "./Chain.ts"
import { Refused } from "./execute.ts"
import { hexTextOf, inHex, int64Of, type Json, type JsonObject, stringify } from "./json.ts"
import { chainParameters } from "./parameters.ts"
import { decode, type Transaction } from "./Transaction.ts"
import { fromJson, toJson } from "./transactionJson.ts"

/** What a question is answered from: the chain up to a height. */
export interface View {
  readonly chain: Chain
  readonly height: number
  /** Whether the state has all that waits for a block in it, as that of java-tron's `/wallet` has. */
  readonly pending: boolean
  readonly now: number
  /** Takes a transaction; throws {@link Refused}. */
  readonly submit: (transaction: Transaction) => void
}

type Body = calls.Body
type Handler = (view: View, body: Body) => Json

/** What java-tron writes for a question that it cannot read. */
export const errorJson = (name: string, message: string): JsonObject => ({ Error: `class ${name} : ${message}` })

const parseError = (message: string) =>
  errorJson("org.tron.core.services.http.JsonFormat$ParseException", `1:1: ${message}`)

const notHex = "INVALID hex String"

/** The entries of the state that a question is answered from. */
const stateOf =
  ({ chain, height, pending }: View): Read =>
  (key) => {
    if (!pending) return chain.read(key, height)
    return chain.store.has(key) ? chain.store.get(key) : undefined
  }

/** Runs a call on that state. */
const onState = <A>({ chain, height, pending }: View, run: () => A): A => (pending ? run() : chain.past(height, run))

/** The block that a transaction made by the node names: the newest that it answers from, the last solid one at most. */
const referenceIn = ({ chain, height }: View): Block => chain.at(Math.min(height, chain.solid())) ?? chain.head()

const visibleIn = (body: Body): boolean => body["visible"] === true || body["visible"] === "true"

const at = ({ chain, height }: View, number: number): Block | undefined =>
  number <= height ? chain.at(number) : undefined

const byId = ({ chain, height }: View, id: unknown): Block | undefined => {
  const block = chain.byId(String(id).toLowerCase())
  return block !== undefined && block.number <= height ? block : undefined
}

const shownBlock = (block: Block | undefined, body: Body, detail = true): JsonObject =>
  block === undefined ? {} : blockJson(block, visibleIn(body), detail)

const numberOf = (value: unknown): number => Number(int64Of(value) ?? -1n)

/** Answers a question whose `num` can be read. */
const ofNumber =
  (answer: (view: View, number: number, body: Body) => Json): Handler =>
  (view, body) => {
    const { num } = body
    return int64Of(num) === undefined
      ? parseError(`Couldn't parse integer: For input string: "${String(num)}"`)
      : answer(view, numberOf(num), body)
  }

/** Answers a question whose `value` is hexadecimal. */
const ofHash =
  (answer: Handler): Handler =>
  (view, body) =>
    /^(?:0x)?[0-9a-f]*$/iu.test(String(body["value"] ?? "")) ? answer(view, body) : parseError(notHex)

/** How many blocks a question may ask for. */
const blocksMax = 100

const range = (view: View, from: number, to: number, body: Body): JsonObject => {
  // What asks for nothing, or for too much, gets nothing.
  if (to <= from || to - from > blocksMax) return {}
  const blocks = Array.from({ length: to - from }, (_, index) => at(view, from + index))
  return { block: blocks.flatMap((block) => (block === undefined ? [] : [blockJson(block, visibleIn(body), true)])) }
}

const find = ({ chain, height }: View, body: Body) => {
  const found = chain.find(String(body["value"]).toLowerCase())
  return found !== undefined && found.block.number <= height ? found : undefined
}

/** A transaction that waits for its block is known, and has no result yet. */
const transactionById: Handler = (view, body) => {
  const found = find(view, body)
  if (found !== undefined) return executedJson(found.executed, visibleIn(body))
  if (view.height !== view.chain.head().number) return {}
  const waiting = view.chain.pending().find(({ id }) => id === String(body["value"]).toLowerCase())
  return waiting === undefined ? {} : toJson(waiting, visibleIn(body), [{ contractRet: "SUCCESS" }])
}

const infosByNumber = ofNumber((view, number, body) => {
  if (number <= 0) return {}
  const block = at(view, number)
  return block === undefined ? [] : block.executed.map((executed) => infoJson(block, executed, visibleIn(body)))
})

const outcome = (view: View, transaction: Transaction | undefined) => {
  if (transaction === undefined) {
    return new Refused("CONTRACT_VALIDATE_ERROR", "Contract validate error : No contract!")
  }
  try {
    return view.submit(transaction)
  } catch (error) {
    if (error instanceof Refused) return error
    throw error
  }
}

const broadcastTransaction: Handler = (view, body) => {
  const transaction = fromJson(body)
  const refusal = outcome(view, transaction)
  const txid = transaction?.id ?? ""
  return refusal === undefined
    ? { result: true, txid }
    : { code: refusal.code, txid, message: visibleIn(body) ? refusal.message : inHex(refusal.message) }
}

/** The id of a transaction of no bytes: the hash of nothing. */
const emptyId = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

const broadcastHex: Handler = (view, body) => {
  const hex = body["transaction"] ?? ""
  if (hex === "") {
    const { code, message } = new Refused("CONTRACT_VALIDATE_ERROR", "Contract validate error : No contract!")
    return { result: false, code, txid: emptyId, message, transaction: "{}" }
  }
  const bytes = hexTextOf(hex)
  if (bytes === undefined) {
    return errorJson("org.bouncycastle.util.encoders.DecoderException", "invalid characters encountered in Hex string")
  }
  const transaction = decode(bytes)
  if (transaction === undefined) {
    return errorJson("com.google.protobuf.InvalidProtocolBufferException", "this is no transaction that is known here")
  }
  const refusal = outcome(view, transaction)
  return {
    result: refusal === undefined,
    code: refusal?.code ?? "SUCCESS",
    message: refusal?.message ?? "",
    transaction: stringify(toJson(transaction, true)),
    txid: transaction.id
  }
}

const ofAddress =
  (answer: (view: View, address: string, visible: boolean) => JsonObject, name = "address"): Handler =>
  (view, body) => {
    if (body[name] === undefined) return {}
    const address = hexOf(body[name])
    return address === undefined ? parseError(notHex) : answer(view, address, visibleIn(body))
  }

/** A block id begins with a height, which has 63 bits. */
const isBlockId = (text: string): boolean => /^[0-7][0-9a-f]{63}$/iu.test(text)

const getBlock: Handler = (view, body) => {
  const which = body["id_or_num"]
  const detail = body["detail"] === true || body["detail"] === "true"
  if (which === undefined || which === "") return shownBlock(at(view, view.height), body, detail)
  const text = String(which)
  const number = int64Of(text)
  if (number === undefined) {
    return isBlockId(text) ? shownBlock(byId(view, text), body, detail) : { Error: "id must be legal block hash." }
  }
  return number < 0n
    ? { Error: "num must be non-positive number." }
    : shownBlock(at(view, Number(number)), body, detail)
}

const validateAddress: Handler = (_view, body) => {
  const text = body["address"]
  if (hexOf(text) === undefined) return { result: false, message: "Length error" }
  return { result: true, message: String(text).startsWith("T") ? "Base58check format" : "Hex string format" }
}

const nodeInfo: Handler = ({ chain, height }) => {
  const shownAs = (block: Block | undefined) => `Num:${block?.number ?? 0},ID:${block?.id ?? ""}`
  return {
    beginSyncNum: height,
    block: shownAs(chain.at(height)),
    solidityBlock: shownAs(chain.at(Math.min(height, chain.solid()))),
    currentConnectCount: 0,
    activeConnectCount: 0,
    passiveConnectCount: 0,
    totalFlow: 0,
    peerList: [],
    configNodeInfo: { codeVersion: "4.8.1", p2pVersion: "0", listenPort: 0, supportConstant: true },
    machineInfo: {},
    cheatWitnessInfoMap: {}
  }
}

/** Questions that both `/wallet` and `/walletsolidity` answer, the latter from the blocks that cannot be replaced. */
const reads: Readonly<Record<string, Handler>> = {
  getnowblock: (view, body) => shownBlock(at(view, view.height), body),
  getblock: getBlock,
  getblockbynum: ofNumber((view, number, body) => shownBlock(at(view, number), body)),
  getblockbyid: ofHash((view, body) => shownBlock(byId(view, body["value"]), body)),
  getblockbylimitnext: (view, body) => range(view, numberOf(body["startNum"]), numberOf(body["endNum"]), body),
  getblockbylatestnum: (view, body) => {
    const count = Math.min(numberOf(body["num"]), blocksMax)
    return range(view, Math.max(0, view.height + 1 - count), view.height + 1, body)
  },
  gettransactionbyid: ofHash(transactionById),
  gettransactioninfobyid: ofHash((view, body) => {
    const found = find(view, body)
    return found === undefined ? {} : infoJson(found.block, found.executed, visibleIn(body))
  }),
  gettransactioninfobyblocknum: infosByNumber,
  gettransactioncountbyblocknum: (view, body) => ({ count: at(view, numberOf(body["num"]))?.executed.length ?? 0 }),
  getaccount: ofAddress((view, address, visible) => accountJson(stateOf(view), address, visible)),
  triggerconstantcontract: (view, body) =>
    onState(view, () => calls.triggerConstantContract(view.chain, body, view.now, referenceIn(view))),
  estimateenergy: (view, body) => onState(view, () => calls.estimateEnergy(view.chain, body)),
  getnodeinfo: nodeInfo
}

/** Questions that only `/wallet` answers. */
const wallet: Readonly<Record<string, Handler>> = {
  ...reads,
  createtransaction: (view, body) => calls.createTransaction(view.chain, body, view.now),
  triggersmartcontract: (view, body) => calls.triggerSmartContract(view.chain, body, view.now),
  broadcasttransaction: broadcastTransaction,
  broadcasthex: broadcastHex,
  getaccountresource: ofAddress((view, address) => resourceJson(stateOf(view), view.chain.head().time, address)),
  getaccountnet: ofAddress((view, address) => {
    const { freeNetLimit, freeNetUsed, TotalNetLimit } = resourceJson(stateOf(view), view.chain.head().time, address)
    return { freeNetUsed, freeNetLimit, TotalNetLimit }
  }),
  getchainparameters: () => ({ chainParameter: chainParameters }),
  getcontract: ofAddress((_view, address, visible) => contractJson(address, visible), "value"),
  validateaddress: validateAddress,
  getenergyprices: () => ({ prices: "0:100" }),
  getbandwidthprices: () => ({ prices: "0:1000" }),
  gettransactionfrompending: ({ chain }, body) => {
    const waiting = chain.pending().find(({ id }) => id === String(body["value"]).toLowerCase())
    return waiting === undefined ? {} : toJson(waiting, visibleIn(body), [{ contractRet: "SUCCESS" }])
  },
  getpendingsize: ({ chain }) => ({ pendingSize: chain.pending().length }),
  gettransactionlistfrompending: ({ chain }) => ({ txId: chain.pending().map(({ id }) => id) }),
  getmemofee: () => ({ prices: "0:0" }),
  listwitnesses: ({ chain, height }, body) => ({
    witnesses: producers.map((address, index) => {
      const made = Array.from({ length: height }, (_, back) => chain.at(height - back)).filter(
        (block) => block?.witness === address
      )
      return {
        address: shown(address, visibleIn(body)),
        voteCount: 1_000 - index,
        url: `http://producer${index}`,
        totalProduced: made.length,
        latestBlockNum: made[0]?.number ?? 0,
        latestSlotNum: made[0]?.number ?? 0,
        isJobs: true
      }
    })
  })
}

const contractCalls: ReadonlySet<string> = new Set([
  "triggerconstantcontract",
  "triggersmartcontract",
  "estimateenergy"
])

/** The questions by scope. */
const scopes: Readonly<Record<string, Readonly<Record<string, Handler>>>> = { wallet, walletsolidity: reads }

/** Whether there is such a question. */
export const knows = (scope: string, endpoint: string): boolean => scopes[scope]?.[endpoint] !== undefined

/** Answers a question as java-tron does: what it refuses is an answer too. */
export const answer = (view: View, scope: string, endpoint: string, body: Body): Json => {
  const handler = scopes[scope]?.[endpoint]
  if (handler === undefined) return parseError(`no such question: ${scope}/${endpoint}`)
  try {
    return handler(view, body)
  } catch (error) {
    if (error instanceof calls.Unreadable) {
      const unread = parseError(error.message)
      return contractCalls.has(endpoint)
        ? { result: { code: "OTHER_ERROR", message: inHex(String(unread["Error"])) } }
        : unread
    }
    if (!(error instanceof Refused)) throw error
    return contractCalls.has(endpoint)
      ? calls.refusedCall(error, endpoint)
      : errorJson(
          "org.tron.core.exception.ContractValidateException",
          error.message.replace("Contract validate error : ", "")
        )
  }
}
