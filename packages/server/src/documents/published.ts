import { OperatorApi } from "@bursar/api/OperatorApi"
import { operationsOf } from "@bursar/api/openapi/Operation"
import { PartnerApi } from "@bursar/api/PartnerApi"
import { type HttpApi, OpenApi } from "effect/http-api"
import type { RouteTemplate } from "../http/RouteTable.ts"

const isLoopback = (authority: string): boolean => /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/u.test(authority)

/** The base address of the service: https under its first public authority; relative where none is configured. */
export const baseAddress = ([authority]: ReadonlyArray<string>): string =>
  authority === undefined ? "/" : `${isLoopback(authority) ? "http" : "https"}://${authority}`

type Published = typeof PartnerApi extends HttpApi.HttpApi<infer Id, infer Groups> ? HttpApi.HttpApi<Id, Groups> : never

const published = new Map<string, Published>()

/**
 * The partner contract as this deployment publishes it: with its own base address. The same for the same address, so that several servers
 * of a process write its document once.
 */
export const publishedApi = (publicAuthorities: ReadonlyArray<string>): Published => {
  const url = baseAddress(publicAuthorities)
  const known = published.get(url) ?? PartnerApi.annotate(OpenApi.Servers, [{ url }])
  published.set(url, known)
  return known
}

/** The operator contract as it is published: its base address is wherever it is read. */
export const publishedOperatorApi = OperatorApi.annotate(OpenApi.Servers, [{ url: "/" }])

/** Where a contract and its pages are served, to anybody: both are in the sources of the service, and tell of nobody's. */
export const documentPaths = { openApi: "/openapi.json", docs: "/docs" } as const

/** The routes of the partner contract. */
export const partnerRoutes: ReadonlyArray<RouteTemplate> = operationsOf(PartnerApi)
