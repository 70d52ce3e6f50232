import { iso31661Alpha2ToAlpha3 } from "iso-3166"

/** The three letters of a country, which Bridge wants; what is no code of two letters is passed on as it is. */
export const alpha3 = (country: string): string => {
  const code = country.toUpperCase()
  return iso31661Alpha2ToAlpha3[code] ?? code
}
