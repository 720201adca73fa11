/** Chinese. */
import type { TextPack } from './text-pack.ts';

export const CHINESE: TextPack = {
  name: 'chinese',
  captions: ['表', '图', '附件'],
  sources: ['资料来源', '来源', '注'],
  announcements: ['如下', '下表', '下图'],
  references: ['请参阅', '请参见', '参阅', '参见', '详见'],
  referring: ['见'],
  places: ['附注', '注释', '章节', '第'],
  audits: ['我们审计了', '我们认为'],
  leaning: ['他们', '它们', '她们', '这些', '那些', '这', '那', '它', '他', '她'],
  linking: ['此外', '然而', '另外', '而且', '最后', '同样', '因此'],
  pointing: ['前者', '后者', '两组'],
  didNot: ['没有'],
  joining: ['和', '及', '以及'],
  parts: ['分部', '季度', '备考', '地区', '母公司', '子公司'],
  shares: ['百分比', '百分之', '占比', '比例', '份额'],
};
