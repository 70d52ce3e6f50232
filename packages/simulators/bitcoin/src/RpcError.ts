/** The codes of Bitcoin Core's `rpc/protocol.h` that this node uses. */
export const codes = {
  misc: -1,
  typeError: -3,
  invalidAddressOrKey: -5,
  invalidParameter: -8,
  deserialization: -22,
  verify: -25,
  rejected: -26,
  alreadyInUtxoSet: -27,
  inWarmup: -28,
  invalidRequest: -32600,
  methodNotFound: -32601,
  parse: -32700
} as const

/** What a call is refused with. Thrown by the methods of the node, which are plain functions, and caught by its server alone. */
export class RpcError extends Error {
  readonly code: number
  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}
