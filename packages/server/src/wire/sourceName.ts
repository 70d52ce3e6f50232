import { type AddressOrigin, addressOrigins } from "@bursar/core/tenant/Tenant"

/** How partners know who holds an address's keys: the service's name stands in the sources that it holds itself. */
export const sourceName = (origin: AddressOrigin, serviceName: string): string =>
  origin === "ISSUED" || origin === "IMPORTED" ? `${serviceName.toUpperCase().replaceAll("-", "_")}_${origin}` : origin

/** The origin that a source names, with the service's name or without; undefined where it names none. */
export const originOf = (source: string, serviceName: string): AddressOrigin | undefined =>
  addressOrigins.find((origin) => source === origin || source === sourceName(origin, serviceName))
