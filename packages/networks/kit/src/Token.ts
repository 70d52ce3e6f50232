/**
 * The calls and events of ERC-20, which TRC-20 shares. All hexadecimal is in lower case and without a prefix; addresses have the 20
 * bytes that the virtual machine knows.
 */

const wordChars = 64
const addressChars = 40

/** The first four bytes of keccak256("transfer(address,uint256)"). */
export const transferSelector = "a9059cbb"

/** The first four bytes of keccak256("balanceOf(address)"). */
const balanceOfSelector = "70a08231"

/** keccak256("Transfer(address,address,uint256)"): the first topic of a transfer's log. */
export const transferTopic = "ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"

const callShape = /^a9059cbb0{24}([0-9a-f]{40})([0-9a-f]{64})$/u

/** An address as an argument of 32 bytes. A prefix before the 20 bytes (`0x`, `41`) is left out. */
export const addressWord = (address: string): string =>
  address.slice(-addressChars).toLowerCase().padStart(wordChars, "0")

/** A number as an argument of 32 bytes. */
const numberWord = (value: bigint): string => value.toString(16).padStart(wordChars, "0")

/** The 20 bytes of an address that is an argument or a topic of 32 bytes. */
const addressInWord = (word: string): string => word.slice(-addressChars)

/** The arguments of `transfer(address,uint256)`. */
export const transferArguments = (to: string, units: bigint): string => addressWord(to) + numberWord(units)

/** The call data of `transfer(address,uint256)`. */
export const transferCall = (to: string, units: bigint): string => transferSelector + transferArguments(to, units)

/** The call data of `balanceOf(address)`. */
export const balanceOfCall = (account: string): string => balanceOfSelector + addressWord(account)

/** The receiver (20 bytes) and the units of a `transfer`; undefined where the call data is not exactly one. */
export const readTransferCall = (data: string): { readonly to: string; readonly units: bigint } | undefined => {
  const [, to, units] = callShape.exec(data) ?? []
  return to === undefined || units === undefined ? undefined : { to, units: BigInt(`0x${units}`) }
}

/** A transfer as its log says it: 20 bytes each, `from` being null for a mint. */
export interface LoggedTransfer {
  readonly from: string | null
  readonly to: string
  readonly units: bigint
}

const word = /^[0-9a-f]{64}$/u
const nobody = "0".repeat(addressChars)

const bare = (hex: string): string => (hex.startsWith("0x") ? hex.slice(2) : hex).toLowerCase()

/**
 * The transfer that a log of a token says: both parties indexed, the amount in the data; undefined where it says something else. NFTs
 * index the amount and do not match. A prefix `0x` is left out. The token must have checked that its topics are addresses.
 */
export const readTransferLog = (log: {
  readonly topics: ReadonlyArray<string>
  readonly data: string
}): LoggedTransfer | undefined => {
  const [topic, from, to] = log.topics
  if (log.topics.length !== 3 || topic === undefined || from === undefined || to === undefined) return undefined
  const units = bare(log.data)
  if (bare(topic) !== transferTopic || !word.test(units)) return undefined
  const sender = addressInWord(from).toLowerCase()
  return {
    from: sender === nobody ? null : sender,
    to: addressInWord(to).toLowerCase(),
    units: BigInt(`0x${units}`)
  }
}
