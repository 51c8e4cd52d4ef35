"""What a turn does to the open transfers, in words of three languages: corrects, adds, drops, puts off, repeats, splits,
empties; and what is paid in the end. Read, judged and paid without servers."""

from datetime import datetime

import pytest

from packs.transfer.bank.opening import address_book
from packs.transfer.names import label
from tests.unit.packs.transfer.dialogues import ME, ZONE, Talk

NOW = datetime(2026, 11, 18, 14, 30, tzinfo=ZONE)
BOOK = address_book(ME)

# who is paid how much with which memo, in order
CASES: list[tuple[str, list[str], list[tuple[str, int, str]]]] = [
    ("ko", ["엄마한테 3만원 보내줘", "아니 5만원", "콜"], [("엄마", 50_000, "")]),
    ("ko", ["아빠한테 2만원 보내줘", "역시 7만원으로 할래", "진행 시켜"], [("아빠", 70_000, "")]),
    ("ko", ["누나한테 4만원 송금해줘", "받는 사람을 엄마로 해줘", "보내자"], [("엄마", 40_000, "")]),
    ("ko", ["누나한테 4만원 송금해줘", "누나가 아니고 아빠야", "좋아요 보내주세요"], [("아빠", 40_000, "")]),
    ("ko", ["엄마 10만원 아빠 20만원 누나 30만원 부탁", "아빠 거는 15만원으로", "응", "응", "응"], [("엄마", 100_000, ""), ("아빠", 150_000, ""), ("누나", 300_000, "")]),
    ("ko", ["엄마 10만원 아빠 20만원 누나 30만원 부탁", "두번째는 25만원으로 바꿔줘", "응", "응", "응"], [("엄마", 100_000, ""), ("아빠", 250_000, ""), ("누나", 300_000, "")]),
    ("ko", ["엄마 10만원 아빠 20만원 누나 30만원 부탁", "두번째 건 빼고 나머지만 보내줘", "응", "응"], [("엄마", 100_000, ""), ("누나", 300_000, "")]),
    ("ko", ["엄마 10만원 아빠 20만원 누나 30만원 부탁", "아빠는 됐어", "응", "응"], [("엄마", 100_000, ""), ("누나", 300_000, "")]),
    ("ko", ["엄마 10만원 아빠 20만원 누나 30만원 부탁", "아빠만 보내고 나머지는 취소", "응", "응"], [("아빠", 200_000, "")]),
    ("ko", ["엄마 10만원 아빠 20만원 보내줘", "싹 다 취소해", "응"], []),
    ("ko", ["엄마 10만원 아빠 20만원 보내줘", "패스", "응", "응"], [("아빠", 200_000, ""), ("엄마", 100_000, "")]),
    ("ko", ["엄마 10만원 아빠 20만원 보내줘", "이건 나중에 하고 다음 거 먼저", "응", "취소"], [("아빠", 200_000, "")]),
    ("ko", ["엄마한테 3만원 보내줘", "응", "한 번 더 보내줘", "응"], [("엄마", 30_000, ""), ("엄마", 30_000, "")]),
    ("ko", ["엄마한테 3만원 보내줘", "응", "아빠한테도 똑같이", "응"], [("엄마", 30_000, ""), ("아빠", 30_000, "")]),
    ("ko", ["아빠랑 엄마한테 합쳐서 10만원 보내줘", "응", "응"], [("아빠", 50_000, ""), ("엄마", 50_000, "")]),
    ("ko", ["아빠랑 엄마한테 각각 3만원씩 보내줘", "응", "응"], [("아빠", 30_000, ""), ("엄마", 30_000, "")]),
    ("ko", ["엄마 아빠 누나한테 총 9만원 나눠서 보내줘", "응", "응", "응"], [("엄마", 30_000, ""), ("아빠", 30_000, ""), ("누나", 30_000, "")]),
    ("ko", ["엄마한테 3만원 보내줘", "글쎄 그럴까", "보내도 괜찮으려나", "아마도"], []),
    ("ko", ["엄마한테 3만원 보내줘", "비트코인도 살 수 있어?", "응"], [("엄마", 30_000, "")]),
    ("ko", ["엄마한테 3만원 보내줘", "응", "방금 보낸 거 취소해줘", "응"], [("엄마", 30_000, "")]),
    ("ko", ["엄마한테 3만원 보내줘", "응", "아까 그 돈 돌려받고 싶어", "응"], [("엄마", 30_000, "")]),
    ("ko", ["엄마한테 3만원 내일 보내줘", "날짜는 빼고 지금 바로", "응"], [("엄마", 30_000, "")]),
    ("ko", ["민수한테 5만원 보내줘", "두 번째 민수", "응"], [("민수 (푸른은행)", 50_000, "")]),
    ("ko", ["민수한테 5만원 보내줘", "한빛은행 쓰는 사람", "응"], [("민수 (한빛은행)", 50_000, "")]),
    ("ko", ["민수한테 5만원 보내줘", "푸른은행이요", "응"], [("민수 (푸른은행)", 50_000, "")]),
    ("ko", ["민수한테 5만원 보내줘", "한빛", "응"], [("민수 (한빛은행)", 50_000, "")]),
    ("en", ["send Dad 9,000 won", "yes", "and 15,000 to the hanbit minsu too", "yes"], [("Dad", 9_000, ""), ("Minsu (Hanbit Bank)", 15_000, "")]),
    ("ja", ["プルン銀行の方のミンスに6万4千ウォン送って", "はい"], [("ミンス (プルン銀行)", 64_000, "")]),
    ("ko", ["아빠한테 5만원을 약값이라고 적어서 보내줘", "응"], [("아빠", 50_000, "약값")]),
    ("ko", ["아빠한테 5만원 보내줘", "무릎 수술비라고 메모", "응"], [("아빠", 50_000, "무릎 수술비")]),
    ("ko", ["아빠한테 5만원 보내줘 메모는 회비", "회비 말고 동호회비", "응"], [("아빠", 50_000, "동호회비")]),
    ("ko", ["엄마한테 10,000 won 보내줘", "ok"], [("엄마", 10_000, "")]),
    ("ko", ["mom한테 2만원 plz", "ㅇㅋ"], [("엄마", 20_000, "")]),
    ("ko", ["엄마한테 보낼래", "음", "그러니까", "어쩌라고", "취소"], []),
    ("ko", ["엄마한테 3만원 보내줘", "응 근데 메모는 용돈으로", "응"], [("엄마", 30_000, "용돈")]),
    ("ko", ["엄마한테 3만원 보내줘", "아빠", "응"], []),
    ("ko", ["엄마한테 3만원 보내고 아빠는 취소해줘", "응", "응"], [("엄마", 30_000, "")]),
    ("ko", ["지영이한테 2만원 보내줘", "응 그리고 누나한테 만원도", "응", "응"], [("지영", 20_000, ""), ("누나", 10_000, "")]),
    ("ko", ["엄마한테 400만원 보내줘", "응", "아빠한테 200만원 보내줘", "그럼 100만원만", "응"], [("엄마", 4_000_000, ""), ("아빠", 1_000_000, "")]),
    ("ko", ["누나한테 4만원 보내줘", "잠깐만", "5만원으로 하고 메모에 점심이라고 적어줘", "오케이 고"], [("누나", 50_000, "점심")]),
    ("en", ["send mom 30,000 won", "actually make that 40,000", "sounds good"], [("Mom", 40_000, "")]),
    ("en", ["send mom 30,000 won", "I meant dad", "yep"], [("Dad", 30_000, "")]),
    ("en", ["send mom 30,000 won", "dad instead", "go for it"], [("Dad", 30_000, "")]),
    ("en", ["send mom 30,000 won", "no, not mom, my sister", "yes"], [("Sister", 30_000, "")]),
    ("en", ["send mom 10,000, dad 20,000 and sister 30,000 won", "nah skip that one", "yes", "yes"], [("Dad", 20_000, ""), ("Sister", 30_000, "")]),
    ("en", ["send mom 10,000, dad 20,000 and sister 30,000 won", "forget about dad's", "yes", "yes"], [("Mom", 10_000, ""), ("Sister", 30_000, "")]),
    ("en", ["send mom 10,000, dad 20,000 and sister 30,000 won", "make the third one 35,000", "yes", "yes", "yes"], [("Mom", 10_000, ""), ("Dad", 20_000, ""), ("Sister", 35_000, "")]),
    ("en", ["send mom 10,000, dad 20,000 and sister 30,000 won", "only send the first one", "yes", "yes"], [("Mom", 10_000, "")]),
    ("en", ["send mom 10,000 and dad 20,000 won", "cancel both", "yes"], []),
    ("en", ["send mom 10,000 and dad 20,000 won", "skip", "yes"], [("Dad", 20_000, "")]),
    ("en", ["send mom 10,000 won", "yes", "same amount to dad", "yes"], [("Mom", 10_000, ""), ("Dad", 10_000, "")]),
    ("en", ["send mom 10,000 won", "yes", "do that again", "yes"], [("Mom", 10_000, ""), ("Mom", 10_000, "")]),
    ("en", ["split 60,000 won between mom and dad", "yes", "yes"], [("Mom", 30_000, ""), ("Dad", 30_000, "")]),
    ("en", ["send mom and dad 20,000 won each", "yes", "yes"], [("Mom", 20_000, ""), ("Dad", 20_000, "")]),
    ("en", ["send mom 10,000 won", "hmm maybe", "I guess so", "not sure"], []),
    ("en", ["send mom 10,000 won", "can I buy bitcoin here?", "yes"], [("Mom", 10_000, "")]),
    ("en", ["set up a standing order of 50,000 won to my landlord every month", "yes"], []),
    ("en", ["send mom 10,000 won", "yes", "undo that", "yes"], [("Mom", 10_000, "")]),
    ("en", ["what's my limit?", "show my payees", "did mom send me 50,000 won?"], []),
    ("en", ["send mom 10,000 won memo: birthday", "drop the memo", "yes"], [("Mom", 10_000, "")]),
    ("en", ["send Minsu 20,000 won", "the first one", "yes"], [("Minsu (Hanbit Bank)", 20_000, "")]),
    ("en", ["send Minsu 20,000 won", "the Pureun one", "yes"], [("Minsu (Pureun Bank)", 20_000, "")]),
    ("en", ["send Minsu 20,000 won", "he's with Hanbit", "yes"], [("Minsu (Hanbit Bank)", 20_000, "")]),
    ("en", ["send mom money", "30000 won", "yes"], [("Mom", 30_000, "")]),
    ("en", ["give my dad some cash", "12k", "do it"], [("Dad", 12_000, "")]),
    ("en", ["send mom 10,000 won", "yes but add a note saying groceries", "yes"], [("Mom", 10_000, "groceries")]),
    ("en", ["send mom 10,000 won", "change the recipient to dad and the amount to 15,000", "yes"], [("Dad", 15_000, "")]),
    ("en", ["send mom 6,000,000 won", "yes"], []),
    ("en", ["send mom 10,000 won", "send dad 900,000,000", "yes"], [("Mom", 10_000, "")]),
    ("en", ["please wire 25,000 to jiyoung", "hold on", "okay send it"], [("Jiyoung", 25_000, "")]),
    ("ja", ["お母さんに3万ウォン送って", "やっぱり4万ウォンで", "進めて"], [("お母さん", 40_000, "")]),
    ("ja", ["お母さんに3万ウォン送って", "やっぱりお父さんに", "オッケー"], [("お父さん", 30_000, "")]),
    ("ja", ["お母さんに3万ウォン送って", "お母さんじゃなくて姉", "よろしく"], [("お姉さん", 30_000, "")]),
    ("ja", ["お母さんに3万ウォン送って", "金額を5万ウォンに変更して", "お願いします"], [("お母さん", 50_000, "")]),
    ("ja", ["母に1万ウォン、父に2万ウォン、姉に3万ウォン送って", "二番目は2万5千ウォンにして", "はい", "はい", "はい"], [("お母さん", 10_000, ""), ("お父さん", 25_000, ""), ("お姉さん", 30_000, "")]),
    ("ja", ["母に1万ウォン、父に2万ウォン、姉に3万ウォン送って", "父の分はなしで", "はい", "はい"], [("お母さん", 10_000, ""), ("お姉さん", 30_000, "")]),
    ("ja", ["母に1万ウォン、父に2万ウォン送って", "全部キャンセル", "はい"], []),
    ("ja", ["母に1万ウォン、父に2万ウォン送って", "これはあとで、次を先に", "はい", "キャンセル"], [("お父さん", 20_000, "")]),
    ("ja", ["母に1万ウォン送って", "はい", "もう一回送って", "はい"], [("お母さん", 10_000, ""), ("お母さん", 10_000, "")]),
    ("ja", ["母に1万ウォン送って", "はい", "父にも同じ金額", "はい"], [("お母さん", 10_000, ""), ("お父さん", 10_000, "")]),
    ("ja", ["父と母に合わせて10万ウォン送って", "はい", "はい"], [("お父さん", 50_000, ""), ("お母さん", 50_000, "")]),
    ("ja", ["父と母にそれぞれ2万ウォン送って", "はい", "はい"], [("お父さん", 20_000, ""), ("お母さん", 20_000, "")]),
    ("ja", ["母に1万ウォン送って", "うーん、どうかな", "たぶん"], []),
    ("ja", ["母に1万ウォン送って", "ビットコインは買える？", "はい"], [("お母さん", 10_000, "")]),
    ("ja", ["毎月25日に大家さんに50万ウォン自動で振り込んで", "はい"], []),
    ("ja", ["母に1万ウォン送って", "はい", "さっきの送金を取り消して", "はい"], [("お母さん", 10_000, "")]),
    ("ja", ["送金の限度額はいくら？", "送金先の一覧を見せて", "母は私に5万ウォン送った？"], []),
    ("ja", ["母に1万ウォン、メモは誕生日", "メモは外して", "はい"], [("お母さん", 10_000, "")]),
    ("ja", ["ミンスに2万ウォン送って", "二番目", "はい"], [("ミンス (プルン銀行)", 20_000, "")]),
    ("ja", ["ミンスに2万ウォン送って", "ハンビット銀行の方", "はい"], [("ミンス (ハンビット銀行)", 20_000, "")]),
    ("ja", ["母に5千ウォン送って", "あ、待って、父に8千ウォンも", "はい", "はい"], [("お母さん", 5_000, ""), ("お父さん", 8_000, "")]),
    ("ja", ["母に700万ウォン送って", "はい"], []),
    ("ko", ["지영이에게 6만 8천원 이체해줄래?", "응"], [("지영", 68_000, "")]),
    ("ko", ["엄마한테 3만원 보내줘", "아빠", "대신", "응"], [("아빠", 30_000, "")]),
    ("ko", ["엄마한테 3만원 보내줘", "아빠", "추가로", "응", "2만원", "응"], [("엄마", 30_000, ""), ("아빠", 20_000, "")]),
    ("ko", ["엄마한테 3만원 보내줘", "아빠", "응", "응"], [("엄마", 30_000, "")]),
    ("ko", ["엄마한테 3만원 보내줘", "응 그거 보내줘", "ㅇㅇ ㄱㄱ"], [("엄마", 30_000, "")]),
    ("ko", ["엄마 2만원 아빠 3만원 누나 4만원 보내줘", "마지막 거는 5만원으로 해줘", "응", "응", "응"], [("엄마", 20_000, ""), ("아빠", 30_000, ""), ("누나", 50_000, "")]),
    ("ko", ["엄마 2만원 아빠 3만원 누나 4만원 보내줘", "첫번째랑 세번째만 보내", "응", "응"], [("엄마", 20_000, ""), ("누나", 40_000, "")]),
    ("ko", ["엄마 2만원 아빠 3만원 누나 4만원 보내줘", "엄마하고 아빠는 빼줘", "응"], [("누나", 40_000, "")]),
    ("ko", ["엄마 2만원 아빠 3만원 보내줘", "네번째는 빼줘", "응", "응"], [("엄마", 20_000, ""), ("아빠", 30_000, "")]),
    ("ko", ["엄마한테 5천만원 어제 보내줘", "응"], []),
    ("ko", ["엄마한테 10원 보내줘 메모에 두번째 월세라고 써줘", "응"], [("엄마", 10, "두번째 월세")]),
    ("en", ["send mom 30k", "dad", "instead", "yes"], [("Dad", 30_000, "")]),
    ("en", ["send mom 30k", "yes and also 20k to dad", "yes", "yes"], [("Mom", 30_000, ""), ("Dad", 20_000, "")]),
    ("en", ["send mom 10k, dad 20k", "just dad", "yes", "yes"], [("Dad", 20_000, "")]),
    ("en", ["send mom 10k, dad 20k", "do the next one first", "yes", "no"], [("Dad", 20_000, "")]),
    ("en", ["pay jiyoung 12,500 won, ref lunch", "no memo please", "yes"], [("Jiyoung", 12_500, "")]),
    ("en", ["send 엄마 30,000 won", "ok"], [("Mom", 30_000, "")]),
    ("en", ["transfer 15,000 to Dad", "yes", "and the same to my sister", "yes"], [("Dad", 15_000, ""), ("Sister", 15_000, "")]),
    ("ja", ["母に2万、父に3万ウォン送って", "父だけ送って", "はい", "はい"], [("お父さん", 30_000, "")]),
    ("ja", ["母に1万ウォン送って", "父", "代わりに", "はい"], [("お父さん", 10_000, "")]),
    ("ja", ["엄마に1万ウォン送って", "はい"], [("お母さん", 10_000, "")]),
    ("ja", ["母と父と姉に3万ウォンずつ送って", "姉は外して", "はい", "はい"], [("お母さん", 30_000, ""), ("お父さん", 30_000, "")]),
    ("ja", ["母に1万ウォン送って", "はい、それと父に2万ウォンも", "はい", "はい"], [("お母さん", 10_000, ""), ("お父さん", 20_000, "")]),
    # a yes with the very values that are shown; the same request again is none
    ("ko", ["누나한테 8만원 보내줘", "네 맞아요, 8만원 보내주세요"], [("누나", 80_000, "")]),
    ("en", ["send dad 70,000 won", "yes, the 70,000 please"], [("Dad", 70_000, "")]),
    ("ko", ["누나한테 8만원 보내줘", "네, 9만원 보내주세요"], []),
    ("ko", ["누나한테 8만원 보내줘", "네 아빠한테 8만원 보내주세요"], []),
    ("en", ["send dad 70,000 won", "send dad 70,000 won"], []),
    ("en", ["send dad 70,000 won", "yes 70,000 is a lot, isn't it"], []),
    # words before a name are not part of it; a word that is left over is nobody's name
    ("ja", ["姉に4万ウォン送って", "やっぱりジヨンに", "はい"], [("ジヨン", 40_000, "")]),
    ("ko", ["아빠한테 만원 보내줘", "어 누나한테도 똑같이 보내줘", "네", "네"], [("아빠", 10_000, ""), ("누나", 10_000, "")]),
    ("ko", ["누나한테 만원 보내줘", "그게 아니라 2만원이에요", "네"], [("누나", 20_000, "")]),
    ("en", ["send mom 20,000 won", "hang on, dad too, the same amount", "yes", "yes"], [("Mom", 20_000, ""), ("Dad", 20_000, "")]),
    # amounts in words; what somebody else said is no request
    ("en", ["wire forty thousand to Jiyoung", "make it thirty-five thousand", "yes"], [("Jiyoung", 35_000, "")]),
    ("en", ["send dad 9,000", "no, 2.5k", "yes"], [("Dad", 2_500, "")]),
    ("ko", ['누나가 "아빠한테 50만원 보내"라고 했는데 누나한테 2만원만 보내줘', "네"], [("누나", 20_000, "")]),
    # memo anew, and one more correction
    ("ko", ["아빠한테 3만원 보내줘 메모는 간식", "메모를 저녁으로 고쳐줘", "그리고 금액도 4만원으로 바꿔줘", "네"], [("아빠", 40_000, "저녁")]),
    ("en", ["send dad 3,000 won", 'put "bus fare" as the memo', "yes"], [("Dad", 3_000, "bus fare")]),
    # somebody else of the name; instead of who was refused
    ("ko", ["민수한테 3만원 보내줘", "한빛은행", "아니다 푸른은행 민수", "네"], [("민수 (푸른은행)", 30_000, "")]),
    ("ko", ["두식이한테 3만원 보내줘", "두식이 말고 누나", "네"], [("누나", 30_000, "")]),
    # one yes for all that is shown; for two it is "both", and not for three
    ("ko", ["지영이 2만원 용걸이 4만원 부쳐줘", "둘 다 진행해줘"], [("지영", 20_000, ""), ("용걸이", 40_000, "")]),
    ("en", ["send sis 8,000 and dad 9,000", "yes to both"], [("Sister", 8_000, ""), ("Dad", 9_000, "")]),
    ("ja", ["姉に2万、父に4万ウォン送って", "全部送って"], [("お姉さん", 20_000, ""), ("お父さん", 40_000, "")]),
    ("en", ["send sis 8,000, dad 9,000 and mom 7,000", "send both"], []),
    ("ko", ["누나한테 300만원, 아빠한테 300만원 보내줘", "둘 다 보내줘"], []),
    # whom one is for is asked first; a bank or a part of the name says it
    ("ja", ["姉とミンスに3万ウォンずつ", "ミンスはプルン銀行", "二つとも送って"], [("ミンス (プルン銀行)", 30_000, ""), ("お姉さん", 30_000, "")]),
    ("ko", ["용걸이랑 민수한테 만원씩", "한빛 쓰는 민수", "용걸이는 됐어", "네 민수한테 보내주세요"], [("민수 (한빛은행)", 10_000, "")]),
    ("en", ["7,000 each to sis and minsu", "hanbit", "sis paid me back already so leave her out", "ok just minsu then"], [("Minsu (Hanbit Bank)", 7_000, "")]),
    # a yes that names what is shown among more words; a whole request again is none
    ("ko", ["아빠 7만원 메모 안경값", "다행이네 그럼 그 안경값 보내줘"], [("아빠", 70_000, "안경값")]),
    ("en", ["sis 45,000 memo concert ticket", "brilliant. yes, go ahead with the ticket"], [("Sister", 45_000, "concert ticket")]),
    ("ja", ["父に6千ウォン、メモは薬代", "なるほど、じゃあその薬代送って"], [("お父さん", 6_000, "薬代")]),
    ("ko", ["누나한테 8만원 보내줘", "이제 누나한테 보낼 필요 없어졌대"], []),
    ("en", ["send dad 70,000 won", "great, dad has plenty of money"], []),
    ("en", ["send dad 70,000 won now", "send dad 70,000 won now"], []),
    ("ko", ["용걸이 3천원 보내려고", "아까 용걸이한테 보내려던 거 이제 보내줘"], [("용걸이", 3_000, "")]),
    # a question about the memo fills nothing
    ("ko", ["누나 9천원 메모 김밥", "메모 뭐로 돼있지", "응"], [("누나", 9_000, "김밥")]),
    ("en", ["sis 9,000 memo gimbap", "what did i put as the memo", "yes"], [("Sister", 9_000, "gimbap")]),
    ("ja", ["姉に9千ウォン、メモはおやつ", "メモは何になってる？", "はい"], [("お姉さん", 9_000, "おやつ")]),
    # a thumb is a word of yes; leaving it is one of no
    ("ko", ["누나 9천원 보내줘", "👍🏻"], [("누나", 9_000, "")]),
    ("ko", ["누나 9천원 보내줘", "일단 놔두자", "응"], []),
    ("ko", ["누나 9천원 보내줘", "응", "에고 그럼 아빠한테라도 만원 보내줘", "응"], [("누나", 9_000, ""), ("아빠", 10_000, "")]),
]  # fmt: skip


async def played(language: str, *turns: str) -> tuple[list[tuple[str, int, str]], list[str]]:
    talk = Talk(NOW, language)
    answers = [await talk.says(turn) for turn in turns]
    payees = {payee.payee_id: label(payee, BOOK, language) for payee in BOOK}
    return [(payees[one.payee_id], one.amount, one.memo) for one in talk.paid], answers


@pytest.mark.parametrize(("language", "turns", "paid"), CASES, ids=[" / ".join(turns) for _, turns, _ in CASES])
async def test_what_is_paid_is_what_was_said_and_shown(language, turns, paid) -> None:
    made, answers = await played(language, *turns)
    assert sorted(made) == sorted(paid), answers


@pytest.mark.parametrize(
    ("language", "turns", "told"),
    [
        ("ko", ["매달 5일에 누나한테 30만원씩 자동이체 걸어줘"], "자동이체"),
        ("en", ["pay my landlord 400,000 won every month"], "standing orders"),
        ("ja", ["毎週姉に1万ウォン送金して"], "繰り返し"),
        ("ko", ["누나한테 2만원 보내줘", "이더리움도 돼?"], "누나에게 2만원"),
        ("en", ["send dad 5,000 won", "yes", "can I get my money back?"], "cannot be taken back"),
        ("ja", ["姉に5千ウォン送って", "はい", "さっきの送金、キャンセルできる？"], "取り消せません"),
        ("ko", ["지영이가 나한테 3만원 보냈나?"], "받으신 돈"),
        ("ko", ["누나한테 4만원 보내줘", "아빠"], "대신"),
        ("en", ["send dad 5,000 won", "mom"], "as well"),
        ("ko", ["누나 만원 엄마 만원 아빠 2만원 보내줘", "아빠 건 빼고 3만원으로 해줘"], "하나씩"),
        ("ko", ["누나한테 만원 보내줘", "나중에 할게"], "하나라서"),
        ("ja", ["父に1万ウォン送って", "三番目は2万ウォンにして"], "わからなかった"),
        ("ko", ["누나한테 4만원 내일 보내줘 메모는 밥", "날짜는 빼줘"], "뺐어요: 11월 19일"),
    ],
)  # fmt: skip
async def test_what_is_not_done_is_said(language: str, turns: list[str], told: str) -> None:
    _, answers = await played(language, *turns)
    assert told in answers[-1]


@pytest.mark.parametrize(
    ("language", "opening", "odd", "ways"),
    [
        ("ko", "누나한테 4만원 보내줘", "구름이 예쁘다", "처음부터"), ("en", "send dad 5,000 won", "the cat is purple", "anew"),
        ("ja", "姉に5千ウォン", "空が青いなあ", "最初から"),
    ],
)  # fmt: skip
async def test_what_is_not_understood_is_asked_in_other_words_and_then_with_the_ways_out(
    language: str, opening: str, odd: str, ways: str
) -> None:
    _, (_, *asked, again) = await played(language, opening, odd, odd, odd, opening)
    assert len(set(asked)) == 3 and ways in asked[-1] and ways not in asked[0]
    assert again not in asked, "what is understood begins to count anew"


async def test_a_share_that_does_not_divide_is_asked_for() -> None:
    made, answers = await played("ko", "엄마 아빠 누나한테 만원을 나눠서 보내줘", "응", "응", "응")
    assert made == [] and "얼마" in answers[0]


@pytest.mark.parametrize(
    "said", ["고마워", "thanks", "please", "了解", "알겠습니다", "cool", "그럼", "음 네?", "네 아니요", "응... 글쎄"]
)
async def test_a_doubtful_word_confirms_nothing(said: str) -> None:
    made, _ = await played("ko", "누나한테 4만원 보내줘", said)
    assert made == []
