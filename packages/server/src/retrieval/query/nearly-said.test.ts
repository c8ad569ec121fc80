import { describe, expect, it } from 'vitest'
import { nearlySays } from './nearly-said.js'

describe('nearlySays', () => {
  it('is true if a text has the name and the attribute that were asked for', () => {
    expect(nearlySays('清风书院读书会的地点是什么？', '清风书院读书会的地点是三楼会议室。')).toBe(true)
    expect(nearlySays('桜通り商店街の夏祭りの開始時刻は何時ですか', '桜通り商店街の夏祭りの開始時刻は18時')).toBe(true)
  })

  it('is false for another name or attribute', () => {
    expect(nearlySays('清风书院读书会的地点是什么？', '明月茶社品茶会的地点是二楼。')).toBe(false)
    expect(nearlySays('清风书院读书会的地点是什么？', '清风书院今天关门。')).toBe(false)
  })

  it('is false for a question with few words, in other scripts, or among much else', () => {
    expect(nearlySays('我住在哪里？', '我住在杭州。')).toBe(false)
    expect(nearlySays('Where is the book club of Green Street?', 'The book club of Green Street is in room 3.')).toBe(
      false,
    )
    expect(nearlySays(`${'今天天气很好，'.repeat(12)}读书会的地点是什么？`, '读书会的地点是三楼。')).toBe(false)
  })
})
