import { keccak256, stringToHex, toFunctionSelector } from "viem"
import { addressOfKey } from "./account.ts"
import { hexOf } from "./address.ts"
import { faucetKey } from "./genesis.ts"
import { keys, type Store } from "./Store.ts"

/** A log as the virtual machine writes it: an address of 20 bytes, topics and data in hexadecimal. */
export interface Log {
  readonly address: string
  readonly topics: ReadonlyArray<string>
  readonly data: string
}

/** Coin that a contract sends while it runs. Addresses are those of accounts, 21 bytes. */
export interface InternalCall {
  readonly from: string
  readonly to: string
  readonly units: bigint
}

/** A call of a contract. */
export interface Call {
  readonly store: Store
  readonly caller: string
  readonly contract: string
  readonly value: bigint
  /** Hexadecimal, selector and arguments. */
  readonly data: string
}

/** How a call ends. A call that reverts must not have changed anything. */
export interface Outcome {
  readonly reverted: boolean
  readonly energy: bigint
  /** Hexadecimal. */
  readonly output: string
  readonly logs: ReadonlyArray<Log>
  readonly internal: ReadonlyArray<InternalCall>
}

/** A contract of the local network. */
export interface LocalContract {
  readonly address: string
  readonly name: string
  /** Signatures of its functions, and whether each only reads. */
  readonly functions: ReadonlyArray<{ readonly signature: string; readonly view: boolean; readonly outputs: string }>
  readonly run: (call: Call) => Outcome
}

/** A TRC-20 token of the local network. */
export interface Token {
  /** The currency code by which the faucet knows it, null for one that is no currency. */
  readonly code: string | null
  readonly address: string
  readonly symbol: string
  readonly name: string
  readonly decimals: number
  /** What a transfer returns. That of USDT returns false on the main network, although it has taken effect. */
  readonly returns: boolean
}

const addressOfText = (text: string): string => {
  const hex = hexOf(text)
  if (hex === undefined) throw new Error(`${text} is not an address`)
  return hex
}

const addressNamed = (name: string): string => `41${keccak256(stringToHex(`bursar devnet ${name}`)).slice(-40)}`

/** The tokens: those of the main network at their own addresses, and one that only calls itself USDT. */
export const tokens: ReadonlyArray<Token> = [
  {
    code: "USDT_TRON",
    address: addressOfText("TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"),
    symbol: "USDT",
    name: "Tether USD",
    decimals: 6,
    returns: false
  },
  {
    code: "USDC_TRON",
    address: addressOfText("TEkxiTehnzSmSe2XqrBj4w32RUN966rdz8"),
    symbol: "USDC",
    name: "USD Coin",
    decimals: 6,
    returns: true
  },
  { code: null, address: addressNamed("counterfeit"), symbol: "USDT", name: "Tether USD", decimals: 6, returns: true }
]

/** Energy of a token transfer whose receiver holds the token, as measured for USDT on the main network. */
export const transferEnergy = 64_285n

/** The same for a receiver that holds none yet. */
export const firstTransferEnergy = 130_285n

const approveEnergy = 99_764n
const allowanceEnergy = 15_000n
const readEnergy = 935n
const governEnergy = 30_000n
const revertEnergy = 2_500n
const unknownEnergy = 230n
const splitEnergy = 20_000n

const topicOf = (signature: string): string => keccak256(stringToHex(signature)).slice(2)
const transferTopic = topicOf("Transfer(address,address,uint256)")
const approvalTopic = topicOf("Approval(address,address,uint256)")
const errorSelector = "08c379a0"
const selectorChars = 8
const wordChars = 64

/** A number as a word. */
const word = (value: bigint): string => value.toString(16).padStart(wordChars, "0")
const addressWord = (address: string): string => address.slice(2).padStart(wordChars, "0")
const textWords = (text: string): string => {
  const hex = Buffer.from(text, "utf8").toString("hex")
  return word(32n) + word(BigInt(hex.length / 2)) + hex.padEnd(Math.ceil(hex.length / wordChars) * wordChars, "0")
}

/** The argument at a place, 0 where the calldata ends before it. */
const argument = (data: string, place: number): bigint => {
  const hex = data.slice(selectorChars + place * wordChars, selectorChars + (place + 1) * wordChars)
  return hex === "" ? 0n : BigInt(`0x${hex.padEnd(wordChars, "0")}`)
}

const addressArgument = (data: string, place: number): string =>
  `41${argument(data, place).toString(16).padStart(wordChars, "0").slice(-40)}`

const zeroAddress = `41${"0".repeat(40)}`

/** The issuer of every token: it alone can pause transfers and blacklist holders. */
const issuer = addressOfKey(faucetKey)

const reverted = (reason: string): Outcome => ({
  reverted: true,
  energy: revertEnergy,
  output: errorSelector + textWords(reason),
  logs: [],
  internal: []
})

/** Contracts without a fallback say nothing of a function that they do not have. */
const unknownFunction: Outcome = { reverted: true, energy: unknownEnergy, output: "", logs: [], internal: [] }

const answered = (output: string, energy = readEnergy, logs: ReadonlyArray<Log> = []): Outcome => ({
  reverted: false,
  energy,
  output,
  logs,
  internal: []
})

type Method = (call: Call) => Outcome

/** The methods by selector, and what `getcontract` says of them. */
const contractOf = (
  address: string,
  name: string,
  methods: Readonly<Record<string, { readonly view: boolean; readonly outputs: string; readonly run: Method }>>,
  payable: boolean
): LocalContract => {
  const bySelector = new Map(
    Object.entries(methods).map(([signature, { run }]) => [toFunctionSelector(`function ${signature}`).slice(2), run])
  )
  return {
    address,
    name,
    functions: Object.entries(methods).map(([signature, { outputs, view }]) => ({ signature, view, outputs })),
    run: (call) => {
      if (call.value > 0n && !payable) return reverted("not payable")
      return bySelector.get(call.data.slice(0, selectorChars))?.(call) ?? unknownFunction
    }
  }
}

const tokenContract = (token: Token): LocalContract => {
  const held = (address: string) => keys.token(token.address, address)
  const move = ({ store }: Call, from: string, to: string, units: bigint, extra: bigint): Outcome => {
    if (store.get(keys.paused(token.address)) !== 0n) return reverted("Pausable: paused")
    if (store.get(keys.blacklisted(token.address, from)) !== 0n) return reverted("the sender is blacklisted")
    if (to === zeroAddress) return reverted("transfer to the zero address")
    if (store.get(held(from)) < units) return reverted("SafeMath: subtraction overflow")
    const energy = (store.get(held(to)) > 0n ? transferEnergy : firstTransferEnergy) + extra
    store.add(held(from), -units)
    store.add(held(to), units)
    const topics = [transferTopic, addressWord(from), addressWord(to)]
    const logs = [{ address: token.address.slice(2), topics, data: word(units) }]
    return answered(word(token.returns ? 1n : 0n), energy, logs)
  }
  const read = (outputs: string, run: Method) => ({ view: true, outputs, run })
  const write = (run: Method) => ({ view: false, outputs: "bool", run })
  /** What the issuer may do; `keyOf` says which entry of the state it sets. */
  const govern = (keyOf: (data: string) => string, value: bigint) => ({
    view: false,
    outputs: "",
    run: ({ caller, data, store }: Call): Outcome => {
      if (caller !== issuer) return reverted("Ownable: caller is not the owner")
      store.set(keyOf(data), value)
      return answered("", governEnergy)
    }
  })
  const blacklistedIn = (data: string) => keys.blacklisted(token.address, addressArgument(data, 0))
  const pausedIn = () => keys.paused(token.address)
  return contractOf(
    token.address,
    token.name,
    {
      "name()": read("string", () => answered(textWords(token.name))),
      "symbol()": read("string", () => answered(textWords(token.symbol))),
      "decimals()": read("uint8", () => answered(word(BigInt(token.decimals)))),
      "totalSupply()": read("uint256", ({ store }) => answered(word(store.get(keys.supply(token.address))))),
      "balanceOf(address)": read("uint256", ({ data, store }) =>
        answered(word(store.get(held(addressArgument(data, 0)))))
      ),
      "allowance(address,address)": read("uint256", ({ data, store }) =>
        answered(word(store.get(keys.allowance(token.address, addressArgument(data, 0), addressArgument(data, 1)))))
      ),
      "paused()": read("bool", ({ store }) => answered(word(store.get(pausedIn())))),
      "pause()": govern(pausedIn, 1n),
      "unpause()": govern(pausedIn, 0n),
      "isBlackListed(address)": read("bool", ({ data, store }) => answered(word(store.get(blacklistedIn(data))))),
      "addBlackList(address)": govern(blacklistedIn, 1n),
      "removeBlackList(address)": govern(blacklistedIn, 0n),
      "transfer(address,uint256)": write((call) =>
        move(call, call.caller, addressArgument(call.data, 0), argument(call.data, 1), 0n)
      ),
      "approve(address,uint256)": write(({ caller, data, store }) => {
        const spender = addressArgument(data, 0)
        const units = argument(data, 1)
        store.set(keys.allowance(token.address, caller, spender), units)
        const topics = [approvalTopic, addressWord(caller), addressWord(spender)]
        return answered(word(1n), approveEnergy, [{ address: token.address.slice(2), topics, data: word(units) }])
      }),
      "transferFrom(address,address,uint256)": write((call) => {
        const owner = addressArgument(call.data, 0)
        const units = argument(call.data, 2)
        const allowed = keys.allowance(token.address, owner, call.caller)
        if (call.store.get(allowed) < units) return reverted("SafeMath: subtraction overflow")
        const outcome = move(call, owner, addressArgument(call.data, 1), units, allowanceEnergy)
        if (!outcome.reverted) call.store.add(allowed, -units)
        return outcome
      })
    },
    false
  )
}

/** The numbers of the list at a place of the calldata. */
const list = (data: string, place: number): ReadonlyArray<bigint> => {
  const start = Number(argument(data, place) / 32n)
  const length = Math.min(Number(argument(data, start)), data.length / wordChars)
  return Array.from({ length }, (_, index) => argument(data, start + 1 + index))
}

const transferSelector = toFunctionSelector("function transfer(address,uint256)").slice(2)

/**
 * A contract that hands on what it is paid: `split(address[],uint256[])`, whose payments are internal transactions, and what it holds of a token:
 * `splitToken(address,address[],uint256[])`.
 */
export const splitter: LocalContract = contractOf(
  addressNamed("splitter"),
  "Splitter",
  {
    "split(address[],uint256[])": {
      view: false,
      outputs: "",
      run: ({ contract, data, store, value }) => {
        const units = list(data, 1)
        const sum = units.reduce((total, each) => total + each, 0n)
        if (sum !== value) return reverted("the payments must add up to the value")
        const internal = list(data, 0).map((to, index) => ({
          from: contract,
          to: `41${to.toString(16).padStart(40, "0")}`,
          units: units[index] ?? 0n
        }))
        for (const { from, to, units: paid } of internal) {
          store.add(keys.balance(from), -paid)
          store.add(keys.balance(to), paid)
        }
        return { reverted: false, energy: splitEnergy * BigInt(1 + internal.length), output: "", logs: [], internal }
      }
    },
    "splitToken(address,address[],uint256[])": {
      view: false,
      outputs: "",
      run: (call) => {
        if (call.value > 0n) return reverted("not payable")
        const address = addressArgument(call.data, 0)
        const token = tokens.find((one) => one.address === address)
        if (token === undefined) return reverted("there is no such token")
        const units = list(call.data, 2)
        const { result: moves, undo } = call.store.record(() =>
          list(call.data, 1).map((to, index) =>
            tokenContract(token).run({
              ...call,
              caller: call.contract,
              contract: address,
              data: transferSelector + word(to) + word(units[index] ?? 0n)
            })
          )
        )
        const failed = moves.find((move) => move.reverted)
        if (failed !== undefined) {
          call.store.undo(undo)
          return failed
        }
        return {
          reverted: false,
          energy: moves.reduce((sum, { energy }) => sum + energy, splitEnergy),
          output: "",
          logs: moves.flatMap(({ logs }) => logs),
          internal: []
        }
      }
    }
  },
  true
)

/** A list as words. */
const listWords = (words: ReadonlyArray<string>): string => word(BigInt(words.length)) + words.join("")

/** The calldata of {@link splitter}: pays each receiver, an address in hexadecimal, so many sun. */
export const splitData = (receivers: ReadonlyArray<string>, units: ReadonlyArray<bigint>): string => {
  const second = word(BigInt(32 * (3 + receivers.length)))
  const selector = toFunctionSelector("function split(address[],uint256[])").slice(2)
  return selector + word(64n) + second + listWords(receivers.map(addressWord)) + listWords(units.map(word))
}

/** The calldata of {@link splitter}: gives each receiver, an address in hexadecimal, so many units of a token that it holds. */
export const splitTokenData = (
  token: string,
  receivers: ReadonlyArray<string>,
  units: ReadonlyArray<bigint>
): string => {
  const second = word(BigInt(32 * (4 + receivers.length)))
  const selector = toFunctionSelector("function splitToken(address,address[],uint256[])").slice(2)
  return (
    selector +
    addressWord(token) +
    word(96n) +
    second +
    listWords(receivers.map(addressWord)) +
    listWords(units.map(word))
  )
}

/** Every contract by its address. */
export const contracts: ReadonlyMap<string, LocalContract> = new Map(
  [...tokens.map(tokenContract), splitter].map((contract) => [contract.address, contract])
)
