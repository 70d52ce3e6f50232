import { addressOfKey, signature } from "@bursar/simulator-tron/account"
import { base58Of } from "@bursar/simulator-tron/address"
import { Effect, Schedule } from "effect"
import { makeProductionSwitch } from "./blockProduction.ts"
import { javaTronConfig } from "./javaTronConfig.ts"
import { freePorts, startJavaTron } from "./javaTronProgram.ts"

/** An object of JSON that the node answers with. */
export type JsonObject = Readonly<Record<string, unknown>>

/** A private network of real java-tron that produces blocks only when a test asks for them. */
export interface JavaTron {
  /** Of `/wallet`. */
  readonly url: string
  /** Of `/walletsolidity`. */
  readonly solidityUrl: string
  /** The hexadecimal address of the account that pays for everything. */
  readonly rich: string
  /** Calls the node without injected faults. Dies where the node does not answer with JSON. */
  readonly ask: (endpoint: string, body?: object) => Effect.Effect<JsonObject>
  /** The same for `/walletsolidity`. */
  readonly askSolid: (endpoint: string, body?: object) => Effect.Effect<JsonObject>
  /** Signs a transaction that the node has built and broadcasts it, by default for the rich account. Returns its id. */
  readonly broadcast: (transaction: JsonObject, key?: string) => Effect.Effect<string>
  /** Deploys a contract with this runtime code in a new block. Returns its hexadecimal address. */
  readonly deploy: (name: string, runtimeCode: string) => Effect.Effect<string>
  /** The height of the newest block. */
  readonly height: Effect.Effect<number>
  /** Produces so many blocks. The first contains all pending transactions. */
  readonly mine: (count: number) => Effect.Effect<void>
  /** Produces blocks until the newest block of now is solidified. */
  readonly solidify: Effect.Effect<void>
}

// Public keys of a test network, not secrets.
const keyOf = (serial: number): string => String(serial).padStart(64, "51")
const richKey = keyOf(10)

/** With two producers a block is solidified only when the other has produced one on top. */
const producers = [keyOf(21), keyOf(22)].map((key) => ({ key, address: base58Of(addressOfKey(key)) }))

/** Votes take effect at the end of a maintenance period: long enough for every producer to vote, otherwise short. */
const maintenanceMs = 18_000

/** By their numbers in java-tron's ProposalUtil: the maintenance period in milliseconds, and three prices of the main network in sun. */
const votes = { 0: 86_400_000, 3: 1_000, 7: 1_000_000, 2: 100_000 }

const feeLimit = 900_000_000

const asking =
  (url: string): JavaTron["ask"] =>
  (endpoint, body = {}) =>
    Effect.promise(async (signal) => {
      const response = await fetch(`${url}/${endpoint}`, { method: "POST", body: JSON.stringify(body), signal })
      const text = await response.text()
      if (response.status !== 200) throw new Error(`${endpoint}: HTTP ${response.status}`)
      // The node is ours, and answers with objects where it is asked here.
      return JSON.parse(text) as JsonObject
    })

const wait = <A>(question: Effect.Effect<A>, until: (answer: A) => boolean) =>
  Effect.repeat(question, { until, schedule: Schedule.spaced("50 millis") })

/** Signs a transaction that the node has built and broadcasts it. Returns its id. */
const broadcasterOf = (ask: JavaTron["ask"]) => (key: string, transaction: JsonObject) =>
  Effect.gen(function* () {
    const { txID: id } = transaction
    if (typeof id !== "string") return yield* Effect.die(new Error(JSON.stringify(transaction)))
    const signed = { ...transaction, signature: [signature(key, id)] }
    const answer = yield* ask("wallet/broadcasttransaction", signed)
    if (answer["result"] !== true) return yield* Effect.die(new Error(JSON.stringify(answer)))
    return id
  })

/** Votes for the main network's prices with every producer, and waits until they apply. */
const vote = Effect.fnUntraced(function* (ask: JavaTron["ask"], broadcast: ReturnType<typeof broadcasterOf>) {
  const included = (id: string) =>
    wait(ask("wallet/gettransactioninfobyid", { value: id }), (info) => info["id"] === id)
  const [first] = producers
  if (first === undefined) return yield* Effect.die(new Error("nobody votes"))
  const parameters = Object.entries(votes).map(([key, value]) => ({ key: Number(key), value }))
  const asked = yield* ask("wallet/proposalcreate", { owner_address: first.address, parameters, visible: true })
  yield* included(yield* broadcast(first.key, asked))
  const approved = Effect.fnUntraced(function* ({ address, key }: (typeof producers)[number]) {
    const approval = { owner_address: address, proposal_id: 1, is_add_approval: true, visible: true }
    yield* included(yield* broadcast(key, yield* ask("wallet/proposalapprove", approval)))
  })
  yield* Effect.forEach(producers, approved, { concurrency: "unbounded" })
  yield* wait(ask("wallet/getproposalbyid", { id: 1 }), ({ state }) => state === "APPROVED")
})

/** Creation code that returns the runtime code behind it. */
const creationOf = (runtimeCode: string): string => {
  const length = (runtimeCode.length / 2).toString(16).padStart(4, "0")
  return `61${length}80600c6000396000f3${runtimeCode}`
}

/**
 * Starts a private java-tron network on free ports until the scope closes: one node with two producers, and the main network's rules and
 * prices. `classPath` is what Java's `-cp` takes.
 */
export const makeJavaTron = Effect.fn("JavaTron.make")(function* (classPath: string) {
  const [httpPort = 0, solidityPort = 0, peerPort = 0, backupPort = 0] = yield* freePorts(4)
  const rich = addressOfKey(richKey)
  const program = yield* startJavaTron(
    classPath,
    javaTronConfig({
      ...{ httpPort, solidityPort, peerPort, backupPort, maintenanceMs },
      rich: base58Of(rich),
      producers
    })
  )
  const url = `http://127.0.0.1:${httpPort}`
  const solidityUrl = `http://127.0.0.1:${solidityPort}`
  const [ask, askSolid] = [asking(url), asking(solidityUrl)]
  const numberOf = (answer: JsonObject): number => {
    const header = answer["block_header"] as { readonly raw_data: { readonly number?: number } } | undefined
    return header?.raw_data.number ?? 0
  }
  const height = Effect.map(ask("wallet/getnowblock"), numberOf)
  const up = Effect.sandbox(height).pipe(
    Effect.retry(Schedule.spaced("200 millis")),
    Effect.repeat({ until: (number) => number > 0, schedule: Schedule.spaced("200 millis") }),
    Effect.orDie
  )
  const died = Effect.andThen(
    program.exited,
    Effect.flatMap(program.output, (output) => Effect.die(new Error(output)))
  )
  yield* Effect.raceFirst(up, died)
  const broadcastWith = broadcasterOf(ask)
  yield* vote(ask, broadcastWith)
  const production = yield* makeProductionSwitch(backupPort)
  yield* production.pause

  const mine: JavaTron["mine"] = (count) =>
    Effect.gen(function* () {
      const wanted = (yield* height) + count
      yield* production.resume
      yield* wait(height, (number) => number >= wanted)
    }).pipe(Effect.ensuring(production.pause))
  const solid = Effect.map(askSolid("walletsolidity/getnowblock"), numberOf)
  const node: JavaTron = {
    url,
    solidityUrl,
    rich,
    ask,
    askSolid,
    broadcast: (transaction, key = richKey) => broadcastWith(key, transaction),
    height,
    mine,
    solidify: Effect.gen(function* () {
      const wanted = yield* height
      while ((yield* solid) < wanted) yield* mine(1)
    }),
    deploy: Effect.fnUntraced(function* (name, runtimeCode) {
      const made = yield* ask("wallet/deploycontract", {
        owner_address: rich,
        ...{ name, abi: "[]", bytecode: creationOf(runtimeCode), fee_limit: feeLimit },
        ...{ consume_user_resource_percent: 100, origin_energy_limit: 10_000_000 }
      })
      const id = yield* node.broadcast(made)
      yield* mine(1)
      const info = yield* ask("wallet/gettransactioninfobyid", { value: id })
      const { result } = info["receipt"] as { readonly result?: string }
      if (result !== "SUCCESS") return yield* Effect.die(new Error(JSON.stringify(info)))
      return String(info["contract_address"])
    })
  }
  return node
})
