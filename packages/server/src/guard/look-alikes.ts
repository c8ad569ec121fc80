/**
 * Letters that look like Latin ones: other alphabets, small capitals, upside-down letters, letters in boxes. Unicode
 * normalization handles the characters that Unicode defines as compatible (full width, mathematical, circled).
 */
const groups: readonly (readonly [latin: string, fakes: string])[] = [
  ['abcdeghijklmnopqrstuvwxy', 'авсԁеɡһіјкӏмпорԛгѕтцѵԝху'],
  ['iyhbn', 'їүньи'],
  ['abeikmnoptuvxwy', 'αβειкмηορτυνχωγ'],
  ['kmnoudh', 'κϻոօսժհ'],
  ['abcdefghijklmnopqrstuvwyz', 'ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘꞯʀꜱᴛᴜᴠᴡʏᴢ'],
  ['aqcdefghijkmnrtvwy', 'ɐƣɔƿǝɟƃɥᴉɾʞɯᴎɹʇʌʍʎ'],
  ['aiglov', 'ɑıɡɩᴑᴠ'],
  ['bhqfs', 'ƅһʠƒꜱ'],
  ['adeghijlmprstvwyz', 'ꭺꭰꭼꮆꮋꭵꭻꮮꮇꮲꭱꮪꭲꮩꮃꭹꮓ'],
]

const table = new Map<string, string>()
for (const [latin, fakes] of groups) {
  for (const [index, fake] of [...fakes].entries()) if (!table.has(fake)) table.set(fake, latin[index] ?? fake)
}

/** The Latin letter that a lower-case letter resembles; undefined if there is none. */
export function latinFor(letter: string): string | undefined {
  return table.get(letter)
}
