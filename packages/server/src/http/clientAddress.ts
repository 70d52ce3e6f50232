import { IpInterface, IpNetwork, NetAddress } from "effect/net"
import { Result } from "effect"

/** Addresses that are meant together; empty means none. */
export type AddressRanges = ReadonlyArray<IpNetwork.IpNetwork>

const plain = (address: NetAddress.IpAddress): NetAddress.IpAddress =>
  NetAddress.isIpv6Address(address) && NetAddress.isIpv4Mapped(address)
    ? Result.getOrElse(NetAddress.ipFromString(NetAddress.formatIp(address).slice("::ffff:".length)), () => address)
    : address

/** Reads an IP address; IPv4 inside IPv6 (`::ffff:…`) is IPv4. Undefined where the text is no address. */
export const parseAddress = (text: string): NetAddress.IpAddress | undefined =>
  Result.match(NetAddress.ipFromString(text), { onSuccess: plain, onFailure: () => undefined })

/** Reads an address or a CIDR range, host bits ignored. Undefined where the text is neither. */
export const parseRange = (text: string): IpNetwork.IpNetwork | undefined => {
  if (text.includes("/")) {
    return Result.match(IpInterface.fromString(text, { prefix: "required" }), {
      onSuccess: (parsed): IpNetwork.IpNetwork => IpNetwork.fromInterface(parsed),
      onFailure: () => undefined
    })
  }
  const address = parseAddress(text)
  if (address === undefined) return undefined
  return IpNetwork.fromAddressUnsafe(address, NetAddress.isIpv4Address(address) ? 32 : 128)
}

/** Reads several ranges; what cannot be read admits nobody. */
export const parseRanges = (texts: ReadonlyArray<string>): AddressRanges =>
  texts.flatMap((text) => parseRange(text) ?? [])

/** Whether an address, as text, lies in one of the ranges. */
export const isWithin = (ranges: AddressRanges, address: string): boolean => {
  if (ranges.length === 0) return false
  const parsed = parseAddress(address)
  return parsed !== undefined && ranges.some((range) => IpNetwork.contains(range, parsed))
}

/**
 * The address that made a request: the socket's peer or, where the peer is a trusted proxy, the rightmost address of
 * `X-Forwarded-For` that is none. What a client writes there itself stands further left and is never looked at. A list
 * that cannot be read gives the peer.
 */
export const clientAddress = (peer: string, forwardedFor: string | undefined, trusted: AddressRanges): string => {
  const parsedPeer = parseAddress(peer)
  if (parsedPeer === undefined) return peer
  const written = NetAddress.formatIp(parsedPeer)
  if (forwardedFor === undefined || !isWithin(trusted, written)) return written
  let furthest = written
  for (const hop of forwardedFor.split(",").toReversed()) {
    const address = parseAddress(hop.trim())
    if (address === undefined) return written
    furthest = NetAddress.formatIp(address)
    if (!isWithin(trusted, furthest)) return furthest
  }
  return furthest
}

/** What failed authentications of an address are counted under: the address itself, or the /64 of an IPv6 one. */
export const addressGroup = (address: string): string => {
  const parsed = parseAddress(address)
  return parsed !== undefined && NetAddress.isIpv6Address(parsed)
    ? IpNetwork.format(IpNetwork.fromAddressUnsafe(parsed, 64))
    : address
}
