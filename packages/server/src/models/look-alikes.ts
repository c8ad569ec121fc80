/**
 * Letters that look like Latin ones: other alphabets, small capitals, letters turned upside down, letters in boxes. What Unicode itself
 * calls compatible (full width, mathematical, circled) is left to its normal form.
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

/** The Latin letter that a lower-case letter passes for; undefined where it passes for none. */
export function latinFor(letter: string): string | undefined {
  return table.get(letter)
}
