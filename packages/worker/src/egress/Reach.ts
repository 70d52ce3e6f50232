import type { TenantKind } from "@bursar/core/tenant/Tenant"
import { Result } from "effect"
import { isIP } from "node:net"
import ipaddr from "ipaddr.js"

/** What a configurable URL may reach. */
export interface Reach {
  /** Plain http as well as https. */
  readonly http: boolean
  /** Loopback and private networks as well as public addresses. */
  readonly local: boolean
}

/**
 * What the URLs of a tenant may reach: https at public addresses; for SANDBOX tenants http too, and loopback and private
 * addresses where the operator of a development set-up allows them (`sandboxMayReachLocal`).
 */
export const reachOf = (kind: TenantKind, sandboxMayReachLocal: boolean): Reach => ({
  http: kind === "SANDBOX",
  local: kind === "SANDBOX" && sandboxMayReachLocal
})

/** The part of IPv6 that is given out as public unicast (IANA). */
const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3")

/**
 * Addresses at which clouds answer their own machines, with their metadata and secrets, though they lie among public or private
 * ones: Azure's wire server; the metadata of Oracle, Alibaba and, on IPv6, of AWS and Google.
 */
const cloudServices: ReadonlySet<string> = new Set(
  ["168.63.129.16", "192.0.0.192", "100.100.100.200", "fd00:ec2::254", "fd20:ce::254"].map((address) =>
    ipaddr.parse(address).toNormalizedString()
  )
)

const localRanges: ReadonlySet<string> = new Set(["loopback", "private", "uniqueLocal"])

/**
 * Whether an address may be connected to: public unicast, or local where that is allowed. Never link-local or
 * other services of a cloud, unspecified, multicast, reserved, IPv4 inside IPv6 in any of its forms, or what is no address.
 */
export const mayConnect = (address: string, { local }: Reach): boolean => {
  if (isIP(address) === 0) return false
  const parsed = ipaddr.parse(address)
  if (cloudServices.has(parsed.toNormalizedString())) return false
  const range = parsed.range()
  if (range === "unicast") return parsed instanceof ipaddr.IPv4 || parsed.match(globalUnicast)
  return local && localRanges.has(range)
}

/** The longest URL that is taken. */
export const urlLengthMax = 2_048

/**
 * Checks everything about a URL that can be seen without resolving its name; says in words what is wrong. An address in
 * any notation (decimal, octal, hex, bracketed) is judged as the address that it is.
 */
export const checkUrl = (text: string, reach: Reach): Result.Result<URL, string> => {
  if (text.length > urlLengthMax) return Result.fail(`the URL is longer than ${urlLengthMax} characters`)
  if (!URL.canParse(text)) return Result.fail("this is not a URL")
  const url = new URL(text)
  if (url.protocol !== "https:" && !(reach.http && url.protocol === "http:")) {
    return Result.fail(reach.http ? "the URL must start with https:// or http://" : "the URL must start with https://")
  }
  if (url.username !== "" || url.password !== "") return Result.fail("the URL must not hold a user name or password")
  const host = hostOf(url)
  if (host === "") return Result.fail("the URL names no host")
  if (isIP(host) !== 0 && !mayConnect(host, reach)) return Result.fail(`${host} is not a public address`)
  return Result.succeed(url)
}

/** The host of a URL, an IPv6 address without its brackets. */
export const hostOf = ({ hostname }: URL): string => (hostname.startsWith("[") ? hostname.slice(1, -1) : hostname)
