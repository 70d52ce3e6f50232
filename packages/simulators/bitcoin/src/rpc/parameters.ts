import { codes, RpcError } from "../RpcError.ts"

/** Where a parameter stands among those of a call, and what it is called. */
export interface Parameter {
  readonly params: ReadonlyArray<unknown>
  readonly at: number
  readonly name: string
}

const kindOf = (value: unknown): string => {
  if (value === null) return "null"
  if (Array.isArray(value)) return "array"
  if (typeof value === "boolean") return "bool"
  return typeof value
}

const wrongType = ({ at, name, params }: Parameter, expected: string): RpcError => {
  const words = `JSON value of type ${kindOf(params[at])} is not of expected type ${expected}`
  return new RpcError(codes.typeError, `Wrong type passed:\n{\n    "Position ${at + 1} (${name})": "${words}"\n}`)
}

const given = ({ at, params }: Parameter): unknown => params[at] ?? undefined

/** A text. */
export const textOf = (parameter: Parameter): string => {
  const value = given(parameter)
  if (typeof value !== "string") throw wrongType(parameter, "string")
  return value
}

/** A whole number, or the default where none is given. */
export const numberOf = (parameter: Parameter, orElse?: number): number => {
  const value = given(parameter) ?? orElse
  if (typeof value !== "number") throw wrongType(parameter, "number")
  if (!Number.isInteger(value)) throw new RpcError(codes.misc, "JSON integer out of range")
  return value
}

/** A truth value, or the default where none is given. */
export const boolOf = (parameter: Parameter, orElse: boolean): boolean => {
  const value = given(parameter) ?? orElse
  if (typeof value !== "boolean") throw wrongType(parameter, "bool")
  return value
}

/** A list. */
export const listOf = (parameter: Parameter): ReadonlyArray<unknown> => {
  const value = given(parameter)
  if (!Array.isArray(value)) throw wrongType(parameter, "array")
  return value
}

/** A verbosity: a number, or a truth value as older callers give it. */
export const verbosityOf = (parameter: Parameter, orElse: number): number => {
  const value = given(parameter)
  return typeof value === "boolean" ? Number(value) : numberOf(parameter, orElse)
}

/** 32 bytes in hexadecimal; `called` is the name that Bitcoin Core's message uses. */
export const hashOf = (parameter: Parameter, called: string): string => {
  const value = textOf(parameter)
  if (value.length !== 64) {
    throw new RpcError(codes.invalidParameter, `${called} must be of length 64 (not ${value.length}, for '${value}')`)
  }
  if (!/^[0-9a-f]{64}$/iu.test(value)) {
    throw new RpcError(codes.invalidParameter, `${called} must be hexadecimal string (not '${value}')`)
  }
  return value.toLowerCase()
}

/** An amount in whole coins, number or text, as base units; `orElse` where none is given. */
export const amountOf = (parameter: Parameter, orElse: bigint): bigint => {
  const value = given(parameter)
  if (value === undefined) return orElse
  // Only limits are given as amounts, never money that moves; eight decimals are exact for them.
  const text = typeof value === "number" ? value.toFixed(8) : textOf(parameter)
  const match = /^(\d{1,8})(?:\.(\d{1,8}))?$/u.exec(text)
  if (match === null) throw new RpcError(codes.typeError, "Invalid amount")
  return BigInt(match[1] ?? "0") * 100_000_000n + BigInt((match[2] ?? "").padEnd(8, "0"))
}
