/** Greetings, thanks, applause and laughter in other languages, in small letters. Commas separate the phrases. */

const german = `
  hallo, hallo zusammen, hi zusammen, hey du, moin, moin moin, servus, grüß dich, grüß gott, grüezi, hallöchen, huhu, guten tag, guten morgen,
  guten abend, gute nacht, schönen guten morgen, schönen guten abend, zusammen, leute, ihr lieben, mein lieber, meine liebe, wie geht's,
  wie geht es dir, wie geht's dir, wie geht es ihnen, wie geht es dir heute,
  wie geht's dir heute, wie geht's heute, und dir, und selbst, mir auch, dir auch, ebenso, gleichfalls, alles gut, alles klar,
  geht klar, na, na dann, na gut, also, so, ach, ach so, aha, achso, oh, ja, jo, jep, jawohl, ja klar, ja genau, nein, nee, nö, doch, eben,
  genau, stimmt, richtig, klar, logisch, natürlich, gerne, gern, sehr gerne, sehr gern, gern geschehen, kein problem, kein ding, keine ursache,
  passt, passt schon, passt so, passt gut, gut, sehr gut, ganz gut, prima, super, spitze, klasse, toll, wunderbar, perfekt, genial, cool, krass, geil,
  hammer, wahnsinn, wow, echt, echt jetzt, im ernst, ernsthaft, wirklich, ach komm, hm, hmm, verstehe, ich verstehe, verstanden, kapiert,
  alles verstanden, gut zu wissen, macht sinn, das macht sinn, klingt gut, das klingt gut, hört sich gut an, das freut mich, freut mich,
  freut mich sehr, schön, sehr schön, wie schön, der war gut, das ist gut, das ist super, das ist toll, lustig, witzig, haha, hihi,
  danke, danke dir, danke euch, danke ihnen, danke schön, danke sehr, danke nochmal, danke für deine hilfe, danke für die hilfe, vielen dank,
  vielen lieben dank, tausend dank, besten dank, herzlichen dank, ich danke dir, das hat mir geholfen, das hat mir echt geholfen,
  das hat mir sehr geholfen, das hilft mir sehr, bitte, bitte schön, bitte sehr, entschuldigung, sorry, tut mir leid, tschüss, tschüs, tschau,
  ciao, bis dann, bis bald, bis später, bis morgen, bis gleich, bis nachher, bis zum nächsten mal, auf wiedersehen, mach's gut, macht's gut,
  schönen tag, schönen tag noch, schönen abend, schönen abend noch, einen schönen tag, einen schönen abend, schönes wochenende,
  schönen feierabend, feierabend, schlaf gut, träum was schönes, viel spaß, viel glück, viel erfolg, gute besserung, herzlichen glückwunsch,
  glückwunsch, alles gute, frohe weihnachten, frohes neues jahr, liebe grüße, viele grüße, lg, vg, bist du da, noch da, abgemacht, mal sehen,
  mal schauen, weiß nicht, keine ahnung, egal, macht nichts, schade, oje, ohje, ups, puh, okay, ok, oki, sehr, noch`

const spanish = `
  hola, holi, buenas, buenos días, buen día, buenas tardes, buenas noches, qué tal, qué tal todo, cómo estás, cómo está, cómo va, cómo va todo,
  cómo va todo por ahí, cómo te va, qué hay, qué onda, qué pasa, todo bien, muy bien, bien, y tú, y usted, cómo estás hoy, amigo, amiga, hombre, tío, tía,
  gracias, muchas gracias, muchísimas gracias, mil gracias, gracias por todo, gracias por tu ayuda, gracias por la ayuda, de verdad, te lo agradezco,
  de nada, no hay de qué, con gusto, un placer, vale, vale vale, vale pues, ok, okey, perfecto, genial, estupendo, fantástico, excelente, maravilloso,
  fenomenal, increíble, guay, qué guay, chévere, qué chévere, qué padre, órale, ándale, sale, va, dale, listo, hecho, de acuerdo, claro,
  claro que sí, por supuesto, desde luego, sí, sip, no, nop, ya, ya veo, ya lo sé, ya lo creo, entiendo, entendido, comprendo, lo entiendo, exacto,
  exactamente, así es, eso es, es verdad, tienes razón, me parece bien, suena bien, qué bien, qué bueno, qué bonito, qué alegría, qué pena, qué lástima,
  qué fuerte, qué risa, qué va, qué maravilla, me alegro, me alegro mucho, jaja, jajaja, jeje, jajajaja, en serio, de veras, no me digas, no puede ser,
  anda, anda ya, vaya, uf, uy, ay, ah, oh, eh, mm, hmm, ajá, bueno, pues, pues nada, pues vale, menos mal, ni idea, no sé, da igual, no pasa nada,
  no te preocupes, tranquilo, tranquila, perdón, perdona, disculpa, lo siento, adiós, hasta luego, hasta pronto, hasta mañana, hasta la próxima, chao, chau,
  nos vemos, nos vemos luego, nos vemos mañana, hablamos, hablamos luego, que descanses, que duermas bien, que te vaya bien, que tengas buen día,
  que tengas un buen día, cuídate, un abrazo, besos, un beso, saludos, felicidades, enhorabuena, feliz cumpleaños, feliz navidad, feliz año nuevo,
  buena suerte, suerte, buen finde, buen fin de semana, buen provecho, salud, estás ahí, sigues ahí, por favor, muy amable, mucho`

const french = `
  bonjour, bonsoir, bonne nuit, bonne soirée, bonne journée, bon après-midi, bon matin, bon week-end, bon courage, bonne chance, bon appétit, bonne continuation,
  bonjour à tous, salut, salut à tous, coucou, hello, hey, allô, rebonjour, re, ça va, ça va bien, ça va et toi, comment ça va, comment vas-tu,
  comment allez-vous, tu vas bien, vous allez bien, quoi de neuf, et toi, et vous, très bien, bien, pas mal, tranquille, tu es là, t'es là, vous êtes là,
  merci, merci bien, merci beaucoup, un grand merci, mille mercis, merci à toi, merci à vous, merci pour tout, merci pour ton aide, merci pour votre aide,
  merci d'avance, c'est gentil, c'est sympa, c'est très gentil, de rien, je t'en prie, je vous en prie, avec plaisir, pas de souci, pas de soucis,
  aucun souci, pas de problème, pas grave, c'est pas grave, ce n'est pas grave, d'accord, d'acc, dac, ok, okay, ça marche, ça roule, entendu, compris,
  c'est compris, bien compris, je comprends, je vois, bien reçu, c'est noté, noté, exact, exactement, tout à fait, absolument, bien sûr, évidemment,
  carrément, grave, oui, ouais, ouaip, non, nan, si, voilà, c'est ça, c'est vrai, tu as raison, vous avez raison, nickel, parfait, super, génial, top,
  trop bien, trop fort, trop cool, trop drôle, excellent, formidable, magnifique, impeccable, chouette, cool, bravo, félicitations, bien joué, waouh, wahou,
  wow, oh, ah, eh bien, eh ben, ben, bon, bah, euh, hum, hmm, mdr, ptdr, lol, haha, hihi, oh là là, oh la la, sérieux, sérieusement, vraiment, ah bon,
  c'est pas vrai, incroyable, dingue, c'est drôle, c'est super, c'est génial, c'est top, c'est parfait, tant mieux, tant pis, dommage, quel dommage, zut, mince,
  pardon, désolé, désolée, excuse-moi, excusez-moi, au revoir, à plus, à plus tard, à bientôt, à demain, à tout à l'heure, à tout de suite, à la prochaine,
  ciao, bises, bisous, bise, dors bien, fais de beaux rêves, prends soin de toi, joyeux anniversaire, joyeux noël, bonne année, s'il te plaît,
  s'il vous plaît, je ne sais pas, aucune idée, peu importe, on verra, alors`

const portuguese = `
  oi, olá, oie, opa, e aí, alô, bom dia, boa tarde, boa noite, bom dia a todos, tudo bem, tudo bom, tudo certo, tudo joia, tudo ótimo, como vai, como vais,
  como está, como estás, como você está, como é que estás, beleza, e você, e tu, e contigo, gente, pessoal, amigo, amiga, cara, mano,
  obrigado, obrigada, muito obrigado, muito obrigada, obrigadão, obrigadinho, obrigada pela ajuda, obrigado pela ajuda, obrigado por tudo, obrigada por tudo,
  valeu, valeu demais, valeu mesmo, agradeço, agradecido, agradecida, de nada, por nada, imagina, não há de quê, disponha, às ordens, com prazer,
  ok, okay, tá, tá bom, tá bom então, tá bem, está bem, está bom, tá certo, certo, combinado, fechado, feito, perfeito, ótimo, excelente, maravilha,
  maravilhoso, fantástico, genial, incrível, espetacular, show, show de bola, legal, que legal, bacana, que bacana, massa, top, fixe, que fixe, giro, que giro,
  bom, muito bom, que bom, boa, que ótimo, que máximo, demais, nossa, caramba, uau, eita, puxa, poxa, sério, a sério, mesmo, jura, não acredito, verdade,
  é verdade, pois, pois é, pois sim, exato, exatamente, isso, isso mesmo, isso aí, claro, com certeza, sim, siim, não, entendi, entendido, percebi,
  percebido, compreendi, já percebi, ah, oh, ih, ué, hum, hmm, hein, ha, kk, kkk, kkkk, rs, rsrs, haha, hehe, que engraçado, que pena, que chato, que triste,
  desculpa, desculpe, foi mal, perdão, não faz mal, sem problema, sem problemas, sem stress, não tem problema, não sei, sei lá, tanto faz, pode ser, vamos ver,
  tchau, tchauzinho, adeus, até logo, até já, até mais, até mais tarde, até amanhã, até breve, até à próxima, até a próxima, a gente se fala,
  falamos depois, se cuida, cuida-te, fica bem, dorme bem, durma bem, bons sonhos, abraço, abraços, um abraço, beijo, beijos, beijinho, beijinhos,
  bom fim de semana, bom descanso, bom trabalho, boa sorte, boa viagem, bom apetite, parabéns, feliz aniversário, feliz natal, feliz ano novo,
  estás aí, você está aí, tá aí, por favor, então, muito`

const italian = `
  ciao, ciao ciao, ciao a tutti, salve, buongiorno, buon giorno, buonasera, buona sera, buonanotte, buona notte, buona serata, buona giornata, buon pomeriggio,
  buon weekend, buon fine settimana, buon lavoro, buon appetito, buon viaggio, buona fortuna, in bocca al lupo, ehi, ehilà, ci sei, sei lì, come stai,
  come sta, come va, come va oggi, come ti va, tutto bene, tutto ok, tutto a posto, che si dice, che fai, e tu, e lei, bene, benissimo, abbastanza bene,
  non c'è male, così così, grazie, grazie mille, mille grazie, grazie tante, tante grazie, molte grazie, grazie infinite, grazie a te, grazie di tutto,
  grazie di cuore, grazie dell'aiuto, grazie per l'aiuto, ti ringrazio, la ringrazio, sei gentile, molto gentile, prego, figurati, si figuri,
  ci mancherebbe, di niente, non c'è di che, nessun problema, non ti preoccupare, tranquillo, tranquilla, con piacere, volentieri, ok, okay, va bene, vabbè,
  va benissimo, d'accordo, perfetto, ottimo, eccellente, fantastico, stupendo, magnifico, meraviglioso, splendido, bravo, brava, bravissimo, bello,
  che bello, bellissimo, evviva, geniale, mitico, che forte, figo, che figo, certo, certamente, sicuro, ovvio, ovviamente, assolutamente, esatto,
  esattamente, giusto, già, infatti, proprio così, è vero, hai ragione, sì, si, sì sì, no, capito, ho capito, capisco, chiaro, tutto chiaro, ricevuto,
  ah, oh, eh, ehm, mah, boh, beh, bah, uffa, uff, accidenti, caspita, cavolo, mamma mia, wow, davvero, sul serio, ma dai, dai, ma va, non ci credo, incredibile,
  pazzesco, assurdo, ahah, haha, ahahah, hihi, che ridere, che risate, divertente, che peccato, peccato, mi dispiace, scusa, scusami, scusi, pardon,
  non importa, fa niente, pazienza, meno male, non so, non lo so, vediamo, arrivederci, addio, a dopo, a presto, a domani, a più tardi, a tra poco,
  alla prossima, ci vediamo, ci sentiamo, ci sentiamo dopo, stammi bene, dormi bene, sogni d'oro, un abbraccio, baci, un bacio, saluti,
  auguri, tanti auguri, buon compleanno, buon natale, buon anno, complimenti, congratulazioni, per favore, per piacere, allora, molto`

const dutch = `
  hoi, hoi hoi, hallo, hallo allemaal, hey, hé, hai, daag, goedemorgen, goede morgen, goedemiddag, goede middag, goedenavond, goede avond, goedenacht,
  welterusten, slaap lekker, môgge, goeiemorgen, goeie morgen, goeienavond, allemaal, hoe gaat het, hoe gaat het met je, hoe gaat-ie, hoe is het,
  hoe is het ermee, hoe gaat het vandaag, alles goed, alles goed met je, alles oké, alles kits, met mij ook, en met jou, en jij, jij ook, goed, heel goed,
  prima, gaat wel, z'n gangetje, dank je, dank u, dank je wel, dank u wel, dankjewel, dankuwel, heel erg bedankt, bedankt, hartelijk dank,
  hartstikke bedankt, hartelijk bedankt, bedankt voor je hulp, bedankt voor de hulp, dank voor je hulp, merci, thanks, lief van je, graag gedaan, geen dank,
  geen probleem, geen punt, geen zorgen, hoor, komt goed, komt in orde, is goed, dat is goed, in orde, oké, ok, okidoki, afgesproken, doen we, doe ik, top,
  super, perfect, geweldig, fantastisch, mooi, heel mooi, mooi zo, leuk, wat leuk, heel leuk, gaaf, vet, tof, cool, lekker, heerlijk, netjes, goed gedaan,
  goed zo, knap, hoera, joepie, wauw, wow, tjonge, jeetje, goh, nou, nou ja, nou zeg, zo, ach, ah, oh, o, eh, hm, hmm, tja, ja, jawel, ja hoor,
  ja precies, nee, nee hoor, precies, klopt, dat klopt, inderdaad, zeker, tuurlijk, natuurlijk, uiteraard, vast, snap ik, ik snap het, ik begrijp het,
  begrepen, duidelijk, helder, echt, echt waar, serieus, meen je niet, dat meen je niet, niet te geloven, ongelooflijk, haha, hihi, die is goed, grappig, wat grappig,
  jammer, wat jammer, helaas, sorry, het spijt me, pardon, maakt niet uit, geeft niet, geeft niks, weet ik niet, geen idee, doei, doeg, doei doei, houdoe,
  tot straks, tot later, tot zo, tot morgen, tot ziens, tot snel, tot gauw, tot dan, tot de volgende keer, fijne dag, fijne dag nog, fijne avond, fijne avond nog,
  fijn weekend, prettige dag, prettig weekend, veel plezier, veel succes, succes, sterkte, beterschap, gefeliciteerd, fijne verjaardag, proost, groetjes,
  groet, liefs, kus, kusjes, ben je daar, ben je er, ben je er nog, alsjeblieft, alstublieft, dan, heel`

const russian = `
  привет, приветик, приветствую, привет всем, всем привет, хай, здравствуй, здравствуйте, здорово, доброе утро, добрый день, добрый вечер, доброй ночи,
  спокойной ночи, сладких снов, как дела, как ты, как вы, как жизнь, как поживаешь, как настроение, что нового, всё хорошо, все хорошо, все нормально,
  всё нормально, нормально, хорошо, неплохо, отлично, а ты, а у тебя, а у вас, как дела сегодня, ты тут, ты здесь, вы тут, вы здесь, друг, друзья, дружище,
  спасибо, спасибо большое, большое спасибо, огромное спасибо, спасибо огромное, спасибо тебе, спасибо вам, спасибо за помощь, спасибо за всё, спс,
  благодарю, благодарю вас, пожалуйста, не за что, на здоровье, обращайся, обращайтесь, рад помочь, рада помочь, не стоит, без проблем, ок, окей, ладно,
  ладненько, договорились, давай, давайте, идёт, идет, пойдёт, добро, понятно, понял, поняла, ясно, всё ясно, все ясно, всё понятно, все понятно,
  принято, точно, именно, конечно, разумеется, естественно, безусловно, согласен, согласна, верно, правда, так и есть, да, ага, угу, да уж, да ладно,
  ну да, нет, не-а, неа, супер, класс, классно, круто, здорово, прекрасно, замечательно, великолепно, чудесно, идеально, шикарно, молодец, молодцы, браво, ура,
  ого, ух ты, вау, ничего себе, офигеть, обалдеть, серьёзно, серьезно, правда что ли, не может быть, надо же, вот это да, ну ты даёшь, ну ты даешь, ахах, ахаха,
  хаха, хахаха, хи-хи, лол, смешно, как смешно, забавно, жаль, очень жаль, как жаль, увы, ой, ох, ах, эх, эй, ну, ну вот, вот, вот так, хм, хмм, мм, блин, извини,
  извините, прости, простите, сорри, ничего, ничего страшного, не страшно, неважно, не важно, всё равно, не знаю, понятия не имею, посмотрим, пока, пока-пока,
  до свидания, до встречи, до завтра, до скорого, до связи, увидимся, созвонимся, спишемся, всего хорошего, всего доброго, береги себя, хорошего дня,
  хорошего вечера, хороших выходных, приятного аппетита, удачи, удачного дня, успехов, поздравляю, с днём рождения, с днем рождения, с новым годом, обнимаю,
  целую, очень, большое`

const chinese = `
  你好, 您好, 大家好, 哈喽, 嗨, 嘿, 喂, 早, 早安, 早上好, 上午好, 中午好, 下午好, 晚上好, 晚安, 午安, 在吗, 在不在, 你在吗, 有人吗, 你好吗, 最近怎么样, 最近好吗, 吃了吗, 好久不见,
  谢谢, 谢谢你, 谢谢您, 谢谢大家, 多谢, 非常感谢, 十分感谢, 感谢, 太感谢了, 谢啦, 谢了, 帮大忙了, 帮了大忙了, 麻烦你了, 麻烦您了, 辛苦了, 辛苦啦, 辛苦, 不客气, 不用谢, 别客气, 没事, 没事儿, 没关系,
  没问题, 应该的, 小事, 好的, 好, 好吧, 好啊, 好呀, 好嘞, 好哒, 行, 行吧, 可以, 可以的, 嗯, 嗯嗯, 嗯哼, 哦, 哦哦, 噢, 啊, 呀, 哎, 哎呀, 唉, 呃, 额, 哇, 哇塞, 天哪, 天啊, 我的天, 明白, 明白了, 知道了, 了解,
  了解了, 懂了, 收到, 清楚了, 原来如此, 原来是这样, 这样啊, 是的, 是啊, 是吗, 对, 对的, 对啊, 对呀, 没错, 确实, 当然, 当然了, 不是, 不, 没有, 真的, 真的吗, 真的假的, 不会吧, 不是吧, 厉害, 太厉害了, 真厉害, 牛,
  太棒了, 真棒, 棒, 很棒, 太好了, 真好, 很好, 不错, 挺好, 挺好的, 完美, 优秀, 赞, 恭喜, 恭喜你, 恭喜恭喜, 加油, 哈, 哈哈, 嘿嘿, 呵呵, 嘻嘻, 笑死我了, 笑死, 太好笑了, 好搞笑, 搞笑, 有意思, 可惜, 太可惜了, 好可惜, 对不起,
  抱歉, 不好意思, 随便, 都行, 无所谓, 不知道, 再见, 拜拜, 拜, 回头见, 回头聊, 回聊, 改天聊, 下次聊, 下次见, 明天见, 待会见, 待会儿见, 一会儿见, 先这样, 保重, 慢走, 生日快乐, 新年快乐, 节日快乐, 周末愉快, 祝你好运, 了, 啦, 吧`

const japanese = `
  こんにちは, こんにちわ, こんばんは, おはよう, おはようございます, おやすみ, おやすみなさい, やあ, どうも, はじめまして, よろしく, よろしくね, よろしくお願いします, よろしくお願いいたします, お願いします, 元気, 元気ですか,
  お元気ですか, 調子はどう, 最近どう, お久しぶり, お久しぶりです, 久しぶり, ありがとう, ありがとうございます, ありがとうございました, どうもありがとう, どうもありがとうございます, 本当にありがとう, 本当にありがとうございます, サンキュー,
  助かった, 助かりました, 助かります, 感謝です, 感謝します, いえいえ, いえ, どういたしまして, とんでもないです, とんでもない, 気にしないで, 大丈夫, 大丈夫です, 問題ない, 問題ありません, 了解, 了解です, 了解しました, 承知しました, かしこまりました,
  分かった, わかった, 分かりました, わかりました, オッケー, オーケー, なるほど, なるほどね, なるほどです, そうか, そっか, そうなんだ, そうなんですね, そうですね, そうだね, そう, そうそう, はい, うん, うんうん, ええ, いいえ, ううん, いや,
  いいね, いいですね, いいよ, いいです, よかった, よかったね, 良かった, 良かったです, 最高, 最高です, すごい, すごいね, すごいですね, すばらしい, 素晴らしい, 素晴らしいです, 素敵, 素敵ですね, さすが, さすがです, やった, やったー, わー, わあ, おお, おー, えっ,
  え, えー, ええっ, へえ, へー, ほんと, 本当, 本当に, ほんとに, マジ, まじ, マジで, まじで, うそ, 嘘でしょ, はは, ははは, あはは, ふふ, ふふふ, 笑, 爆笑, ウケる, 面白い, 面白いね, おもしろい, 面白いですね, 残念, 残念です, 残念だね, ごめん, ごめんね, ごめんなさい,
  すみません, 申し訳ありません, 失礼しました, 失礼します, お疲れ, お疲れさま, お疲れ様, お疲れさまです, お疲れ様です, お疲れさまでした, お疲れ様でした, ご苦労さま, さようなら, さよなら, じゃあね, じゃあ, じゃ, またね, また, また明日, また明日ね, またあとで, またあとでね,
  また後で, また今度, では, ではまた, それでは, バイバイ, 行ってきます, ただいま, おかえり, いただきます, ごちそうさま, おめでとう, おめでとうございます, 頑張って, がんばって, 頑張ります, お大事に, 良い一日を, 良い週末を, ね, よ, です, だね`

/** A word ends before the next one; in scripts without spaces, phrases may follow each other directly. */
export const phrasesOfLanguages = [german, spanish, french, portuguese, italian, dutch, russian].flatMap(listOf)
export const phrasesWithoutSpaces = [chinese, japanese].flatMap(listOf)

function listOf(phrases: string): string[] {
  return phrases.split(',').map((phrase) => phrase.trim().replace(/\s+/gu, ' '))
}
