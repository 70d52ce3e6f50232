import { canonicalAuthority } from "./signatureBase.ts"

/** `localhost`, 127.0.0.0/8 and ::1, with any port. */
const loopback = /^(?:localhost|127(?:\.[0-9]{1,3}){3}|\[::1\])(?::[0-9]{1,5})?$/u

/**
 * Tells whether a signature for this authority is one for this service. Where no authority is configured, only requests
 * to this machine itself may be signed: any other name would be one that the caller chose.
 */
export const makeIsOurs = (publicAuthorities: ReadonlyArray<string>): ((authority: string) => boolean) => {
  if (publicAuthorities.length === 0) return (authority) => loopback.test(authority)
  const ours = new Set(publicAuthorities.map(canonicalAuthority))
  return (authority) => ours.has(authority)
}
